// Select text to redact it, click a redaction to lift it; nothing is sent before "Save redactions".
// Offsets are code points of the redacted text, as the server counts them.
const tray = document.getElementById("tray");
const popover = document.getElementById("redact-popover");
const list = document.getElementById("segments");
const items = document.getElementById("tray-items");
const addButton = document.getElementById("redact-add");
const liftButton = document.getElementById("redact-lift");
const typeSelect = document.getElementById("redact-type");
let chosen = null;

const points = (text) => [...text].length;

function offsetIn(paragraph, node, offset) {
  const range = document.createRange();
  range.selectNodeContents(paragraph);
  range.setEnd(node, offset);
  return points(range.toString());
}

function selectionInSegment() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const paragraph = range.startContainer.parentElement?.closest(".segment-text");
  if (!paragraph || !paragraph.contains(range.endContainer)) return null;
  const text = range.toString();
  const lead = points(text) - points(text.trimStart());
  const start = offsetIn(paragraph, range.startContainer, range.startOffset) + lead;
  const end = start + points(text.trim());
  if (end <= start) return null;
  return { action: "add", segment: paragraph.dataset.segment, start, end, text: text.trim(), box: range.getBoundingClientRect() };
}

// Lifting is for the whole text: the same pseudonym is the same person everywhere.
function alike(mark) {
  return [...list.querySelectorAll("mark.r")].filter((other) => other.textContent === mark.textContent);
}

function placesOf(choice) {
  const n = choice.marks?.length ?? 1;
  return n > 1 ? ` · ${tray.dataset.textPlaces.replace("{n}", n)}` : "";
}

function markAt(mark) {
  const paragraph = mark.closest(".segment-text");
  const start = offsetIn(paragraph, mark.firstChild, 0);
  const type = [...mark.classList].find((name) => name.startsWith("r-")).slice(2).toUpperCase();
  return { action: "remove", segment: paragraph.dataset.segment, start, end: start + points(mark.textContent), text: mark.textContent, type, marks: alike(mark), box: mark.getBoundingClientRect() };
}

function open(choice) {
  chosen = choice;
  addButton.hidden = typeSelect.parentElement.hidden = choice.action !== "add";
  liftButton.hidden = choice.action !== "remove";
  if (!liftButton.hidden) liftButton.textContent = tray.dataset.textLift + placesOf(choice);
  popover.hidden = false;
  const left = Math.min(choice.box.left, innerWidth - popover.offsetWidth - 16);
  popover.style.left = `${Math.max(16, left) + scrollX}px`;
  popover.style.top = `${choice.box.bottom + scrollY + 8}px`;
}

function close() { popover.hidden = true; chosen = null; }

function describe(choice, type) {
  const item = document.createElement("li");
  const verb = document.createElement("span");
  verb.textContent = choice.action === "add" ? tray.dataset.textAdd : tray.dataset.textLift;
  const quote = document.createElement("mark");
  quote.className = `r r-${type.toLowerCase()}`;
  quote.textContent = choice.text;
  const places = document.createElement("span");
  places.className = "muted";
  places.textContent = placesOf(choice);
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "edit";
  field.value = [choice.action, choice.segment, choice.start, choice.end, type].join(":");
  const undo = document.createElement("button");
  undo.type = "button";
  undo.className = "linklike";
  undo.textContent = tray.dataset.textRemove;
  undo.addEventListener("click", () => { choice.marks?.forEach((mark) => mark.classList.remove("is-lifted")); item.remove(); update(); });
  item.append(verb, quote, places, field, undo);
  return item;
}

// A decision is about what is stored: as long as something is not, there is none.
function update() {
  const isPending = items.children.length > 0;
  tray.hidden = !isPending;
  tray.toggleAttribute("data-unsaved", isPending);
  document.getElementById("decision-pending")?.toggleAttribute("hidden", !isPending);
  document.querySelectorAll("#decision-form button").forEach((button) => { button.disabled = isPending; });
}

function keep() {
  const type = chosen.action === "add" ? typeSelect.value : chosen.type;
  items.append(describe(chosen, type));
  chosen.marks?.forEach((mark) => mark.classList.add("is-lifted"));
  getSelection().removeAllRanges();
  close();
  update();
}

if (tray) {
  list.classList.add("can-select");
  list.addEventListener("click", (event) => {
    const mark = event.target.closest("mark.r");
    if (mark && !mark.classList.contains("is-lifted") && !String(getSelection())) open(markAt(mark));
  });
  document.addEventListener("pointerup", (event) => {
    if (popover.contains(event.target)) return;
    setTimeout(() => {
      const choice = selectionInSegment();
      if (choice) open(choice);
      else if (!event.target.closest?.("mark.r")) close();
    });
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  addButton.addEventListener("click", keep);
  liftButton.addEventListener("click", keep);
  document.getElementById("tray-clear").addEventListener("click", () => {
    items.replaceChildren();
    document.querySelectorAll(".is-lifted").forEach((mark) => mark.classList.remove("is-lifted"));
    update();
  });
}
