"""Pages for the browser as trees of elements, and what holds for every page of Assay: it stands alone, its tags are closed, its
links lead somewhere inside, and its policy allows only its own style and script."""
import base64, hashlib, html.parser, re

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Element:
    def __init__(self, name, attributes, parent):
        self.name, self.attributes, self.parent = name, attributes, parent
        self.children, self.pieces = [], []

    def all(self, name=None, kind=None):
        """Elements below, in order, of a name and a class."""
        for child in self.children:
            if (not name or child.name == name) and (not kind or kind in child.attributes.get("class", "").split()):
                yield child
            yield from child.all(name, kind)

    def first(self, name=None, kind=None):
        found = next(self.all(name, kind), None)
        if found is None:
            raise AssertionError(f"no {name or 'element'} of class {kind} in {self.name} {self.attributes}")
        return found

    @property
    def text(self):
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)


class Page(html.parser.HTMLParser):
    """A page whose tags are all closed in order; everything else raises."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("", {}, None)
        self.feed(source)
        self.close()
        if self.here is not self.root:
            raise AssertionError(f"{self.here.name} is not closed")

    def handle_starttag(self, name, attributes):
        if len({key for key, _ in attributes}) != len(attributes):
            raise AssertionError(f"{name} has an attribute twice: {attributes}")
        element = Element(name, {key: value or "" for key, value in attributes}, self.here)
        self.here.children.append(element)
        self.here.pieces.append(element)
        if name not in VOID:
            self.here = element

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        if name not in VOID:
            self.here = self.here.parent

    def handle_endtag(self, name):
        if self.here.name != name:
            raise AssertionError(f"</{name}> where {self.here.name} is open")
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.pieces.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data[:40]}")

    def handle_pi(self, data):
        raise AssertionError(f"a processing instruction: {data[:40]}")


def check(source):
    """The page, after what holds for every page was checked."""
    page = Page(source).root
    ids = [element.attributes["id"] for element in page.all() if "id" in element.attributes]
    twice = {one for one in ids if ids.count(one) > 1} if len(set(ids)) < len(ids) else set()
    assert not twice, f"ids are not unique: {sorted(twice)[:5]}"
    for element in page.all():
        for key, value in element.attributes.items():
            assert not key.startswith("on") and key not in ("src", "style", "action", "data"), (element.name, key)
            if key == "href":
                assert value[:1] == "#" and value[1:] in ids, f"a link leads nowhere or outside: {value}"
    style, script = page.first("style").text, page.first("script").text
    assert len(list(page.all("style"))) == len(list(page.all("script"))) == 1
    assert not re.search(r"url\(|@import|@font-face", style) and not re.search(r"https?:|fetch\(|eval\(|innerHTML", script)
    policy = next(meta.attributes["content"] for meta in page.all("meta") if "http-equiv" in meta.attributes)
    for part, name in ((style, "style"), (script, "script")):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy, policy
    assert policy.startswith("default-src 'none'"), policy
    return page
