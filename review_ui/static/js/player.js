// The transcript follows the recording, and the recording follows clicks on transcript and citations.
const audio = document.getElementById("audio");
const segments = [...document.querySelectorAll("#segments .segment")];
const starts = segments.map((element) => Number(element.dataset.start));
const followBox = document.getElementById("follow");
let current = null;
let until = null;
let playing = null;

function segmentAt(time) {
  let low = 0;
  let high = starts.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= time + 0.01) low = middle + 1; else high = middle - 1;
  }
  return segments[high] ?? null;
}

function show(segment, scroll) {
  if (segment === current) return;
  current?.classList.remove("is-current");
  current?.removeAttribute("aria-current");
  current = segment;
  segment?.classList.add("is-current");
  segment?.setAttribute("aria-current", "true");
  if (segment && scroll) segment.scrollIntoView({ block: "nearest" });
}

function release() {
  playing?.classList.remove("is-playing");
  playing = null;
  until = null;
}

export function playFrom(start, end, link) {
  release();
  audio.currentTime = start;
  until = end ?? null;
  if (end != null) { playing = link; link?.classList.add("is-playing"); }
  show(segmentAt(start), true);
  audio.play().catch(() => {});
}

function onLink(event) {
  const link = event.target.closest("a[data-seek]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const end = link.dataset.until === undefined ? null : Number(link.dataset.until);
  playFrom(Number(link.dataset.seek), end, link);
}

// A click beside the letters of a segment plays it; a selection is for redacting, never for playing.
function onSegment(event) {
  if (event.target.closest("a, button, mark") || String(getSelection())) return;
  const segment = event.target.closest(".segment");
  if (segment) playFrom(Number(segment.dataset.start), null, null);
}

function onKey(event) {
  const busy = event.target.closest("input, textarea, select, audio, [contenteditable]");
  if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "k") audio.paused ? audio.play() : audio.pause();
  else if (key === "j") audio.currentTime = Math.max(0, audio.currentTime - 5);
  else if (key === "l") audio.currentTime += 5;
  else return;
  event.preventDefault();
}

if (audio) {
  document.addEventListener("click", onLink);
  document.getElementById("segments").addEventListener("click", onSegment);
  document.addEventListener("keydown", onKey);
  document.getElementById("speed").addEventListener("change", (event) => { audio.playbackRate = Number(event.target.value); });
  audio.addEventListener("timeupdate", () => {
    if (until !== null && audio.currentTime >= until) { audio.pause(); release(); }
    show(segmentAt(audio.currentTime), followBox.checked && !audio.paused);
  });
  audio.addEventListener("pause", () => { if (until !== null && audio.currentTime < until) release(); });
}
