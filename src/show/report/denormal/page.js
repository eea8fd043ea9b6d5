
/* Maps with phases: a slider from the whole run through its phases, and a film of the phases. */
for (const map of document.querySelectorAll(".map")) {
    const phases = map.querySelector(".phases");
    if (!phases)
        continue;
    const caption = map.querySelector("figcaption");
    const what = caption.querySelector(".what");
    const frames = [map.querySelector("img"), ...phases.querySelectorAll("img")];
    const player = document.createElement("div");
    const slider = document.createElement("input");
    const button = document.createElement("button");
    let timer = 0;

    function show(place) {
        frames.forEach((frame, at) => { frame.hidden = at !== place; });
        what.textContent = frames[place].dataset.what;
        slider.value = place;
        slider.setAttribute("aria-valuetext", frames[place].dataset.what);
    }

    function stop() {
        clearInterval(timer);
        timer = 0;
        button.textContent = "Play";
    }

    frames.forEach(frame => map.insertBefore(frame, caption));
    phases.remove();
    player.className = "player";
    Object.assign(slider, { type: "range", min: 0, max: frames.length - 1, value: 0 });
    slider.setAttribute("aria-label", "phase");
    slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
    button.type = "button";
    button.addEventListener("click", () => {
        if (timer)
            return stop();
        button.textContent = "Stop";
        timer = setInterval(() => show(Number(slider.value) % (frames.length - 1) + 1), Math.max(80, Math.min(600, 6000 / frames.length)));
    });
    player.append(button, slider);
    caption.after(player);
    stop();
    show(0);
}
