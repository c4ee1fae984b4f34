// One request per file, with its own progress; refusals stand beside the file they are about.
const form = document.getElementById("upload");
const zone = document.getElementById("dropzone");
const input = document.getElementById("file");
const list = document.getElementById("uploads");
const text = form.dataset;
const queue = [];

function line(file) {
  const item = document.createElement("li");
  item.className = "upload";
  const name = document.createElement("span");
  name.className = "upload-name";
  name.textContent = file.name;
  const state = document.createElement("span");
  state.className = "upload-state";
  const spacer = document.createElement("span");
  item.append(spacer, name, state);
  list.append(item);
  return item;
}

function refuse(entry, message, code) {
  entry.item.className = "upload is-refused";
  entry.item.setAttribute("role", "alert");
  entry.item.querySelector("progress")?.remove();
  entry.item.querySelector(".upload-state").textContent = "";
  const line = document.createElement("span");
  line.className = "upload-message";
  line.textContent = message;
  if (code) { const tag = document.createElement("code"); tag.textContent = code; line.append(" ", tag); }
  entry.item.append(line);
  entry.item.scrollIntoView({ block: "center" });
}

function succeed(entry, run) {
  entry.item.className = "upload is-done";
  entry.item.querySelector("progress")?.remove();
  const link = document.createElement("a");
  link.href = `/runs/${encodeURIComponent(run)}`;
  link.textContent = text.textOpen;
  entry.item.querySelector(".upload-state").replaceChildren(link);
  return link.href;
}

function add(files) {
  for (const file of files) {
    const entry = { file, item: line(file), key: crypto.randomUUID?.() ?? String(Math.random()) };
    if (file.size > Number(text.maxBytes)) refuse(entry, text.textTooLarge, "input.too_large");
    else { queue.push(entry); entry.item.querySelector(".upload-state").textContent = text.textWaiting; }
  }
  input.required = queue.length === 0;
}

function send(entry, fields) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const bar = document.createElement("progress");
    const state = entry.item.querySelector(".upload-state");
    bar.max = 1;
    bar.value = 0;
    bar.setAttribute("aria-label", entry.file.name);
    entry.item.append(bar);
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      state.textContent = event.loaded < event.total ? `${Math.floor(100 * bar.value)} %` : text.textChecking;
    });
    request.addEventListener("load", () => resolve(answer(entry, request)));
    request.addEventListener("error", () => { refuse(entry, text.textNetwork); resolve(null); });
    request.open("POST", "/api/v1/runs");
    request.setRequestHeader("Idempotency-Key", entry.key);
    request.setRequestHeader("Accept", "application/json");
    request.send(body(entry.file, fields));
  });
}

// The fields go first, so that the server knows them before the file's bytes arrive.
function body(file, fields) {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  data.append("file", file, file.name);
  return data;
}

function answer(entry, request) {
  let data = {};
  try { data = JSON.parse(request.responseText); } catch { /* a proxy's page: the network message is right */ }
  if (request.status < 300 && data.run) return succeed(entry, data.run);
  if (data.error) refuse(entry, data.error.message, data.error.code);
  else refuse(entry, text.textNetwork);
  return null;
}

async function start(event) {
  event.preventDefault();
  delete form.dataset.sent;
  const work = queue.splice(0);
  if (!work.length) return input.focus();
  const button = document.getElementById("upload-start");
  button.disabled = true;
  const fields = [...new FormData(form)].filter(([name]) => name !== "file" && !(name === "title" && work.length > 1));
  const opened = [];
  for (const entry of work) opened.push(await send(entry, fields));
  button.disabled = false;
  input.required = true;
  if (work.length === 1 && opened[0]) location.assign(opened[0]);
}

input.addEventListener("change", () => { add(input.files); input.value = ""; });
form.addEventListener("submit", start, true);
for (const name of ["dragenter", "dragover"]) {
  zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("is-over"); });
}
for (const name of ["dragleave", "drop"]) {
  zone.addEventListener(name, (event) => { event.preventDefault(); if (name === "drop" || !zone.contains(event.relatedTarget)) zone.classList.remove("is-over"); });
}
zone.addEventListener("drop", (event) => add(event.dataTransfer.files));
