// Chooses the colours before the page shows, so that it never flashes.
(function () {
  "use strict";
  var root = document.documentElement;
  var chosen = null;
  try { chosen = localStorage.getItem("octavo-theme"); } catch (error) { chosen = null; }
  var theme = chosen || root.getAttribute("data-default-theme");
  if (theme === "dark" || theme === "light") root.setAttribute("data-theme", theme);
})();
