// Runs before the page is drawn, so that what needs script never flashes.
document.documentElement.classList.add("js");
