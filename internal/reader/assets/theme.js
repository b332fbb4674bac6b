// Chooses the colours before the page shows, so that it never flashes.
(function () {
  "use strict";
  var chosen = null;
  try { chosen = localStorage.getItem("octavo-theme"); } catch (error) { chosen = null; }
  if (chosen === "dark" || chosen === "light") document.documentElement.setAttribute("data-theme", chosen);
})();
