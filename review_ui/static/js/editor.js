// Warn before leaving the summary form with changes that are not saved.
const form = document.getElementById("editor");
let changed = false;
let sent = false;
form?.addEventListener("input", () => { changed = true; });
form?.addEventListener("submit", () => { sent = true; });
addEventListener("beforeunload", (event) => { if (changed && !sent) event.preventDefault(); });
