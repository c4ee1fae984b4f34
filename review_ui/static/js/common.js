// Times in the reader's own time zone; relative ones ("in 3 days") kept up to date.
const locale = document.documentElement.lang;
const absolute = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const precise = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
// In days from two days on: nearer, half a day more or less matters.
const UNITS = [["day", 86400, 172_800], ["hour", 3600, 3600], ["minute", 60, 0]];

function fromNow(date) {
  const seconds = (date - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, , least]) => Math.abs(seconds) >= least);
  return relative.format(Math.round(seconds / size), unit);
}

export function showTimes(root = document) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    element.title = absolute.format(date);
    const format = "precise" in element.dataset ? precise : absolute;
    element.textContent = "relative" in element.dataset ? fromNow(date) : format.format(date);
  }
}

// A form that was sent is not sent again by a second click; the server decides all the same.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
});
function forgetSent() {
  document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
}
addEventListener("pageshow", (event) => { if (event.persisted) forgetSent(); });

// What was typed or chosen in a form that keeps is nowhere but on this page until it is sent.
document.addEventListener("input", (event) => {
  const form = event.target.form;
  if (form && "keep" in form.dataset) form.dataset.unsaved = "";
});
addEventListener("beforeunload", (event) => {
  if (!document.querySelector("form[data-unsaved]:not([data-sent])")) return;
  event.preventDefault();
  setTimeout(forgetSent);  // who stays may send again
});

for (const select of document.querySelectorAll(".filter select")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

showTimes();
document.addEventListener("htmx:after:swap", () => showTimes());
setInterval(showTimes, 60_000);
