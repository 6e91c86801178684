"use strict";
(() => {
  // Only `bench view` adds this: it asks whether what the page shows is still of today.
  const here = document.currentScript, known = Number(here.dataset.version);
  const ask = () => {
    const script = document.createElement("script");
    script.src = new URL("version.js?" + Date.now(), here.src);
    script.onload = script.onerror = () => script.remove();
    document.head.append(script);
  };
  const timer = setInterval(ask, 3000);
  window.eibenchVersion = (now) => {
    if (now === known) return;
    clearInterval(timer);
    const note = document.createElement("p"), button = document.createElement("button");
    note.id = "newer";
    note.setAttribute("role", "status");
    note.className = "newer";
    button.type = "button";
    button.textContent = "Load again";
    button.addEventListener("click", () => location.reload());
    note.append("There are newer results. ", button);
    document.getElementById("main").prepend(note);
  };
})();
