// While the report is computed: its progress, and the page again once it is there.

const line = document.getElementById("progress");
const PAUSE = 1000;

async function look() {
    const answer = await fetch("api/progress").catch(() => null);
    if (!answer?.ok)
        return;
    const { is_working: isWorking, share } = await answer.json();
    if (!isWorking) {
        location.reload();
        return;
    }
    if (share > 0)
        line.querySelector("output").textContent = `${Math.floor(share * 100)} %`;
    setTimeout(look, PAUSE);
}

if (line)
    setTimeout(look, PAUSE);
