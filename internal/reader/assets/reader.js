// What a page gains with scripts: tabs, copying, search as one types, the
// choice of colours. Everything works without it too.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("scripted");

  function each(selector, act, within) {
    Array.prototype.forEach.call((within || document).querySelectorAll(selector), act);
  }

  function element(name, attributes, text) {
    var made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // Colours
  function currentTheme() {
    return root.getAttribute("data-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }
  each(".theme-toggle", function (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var next = currentTheme() === "dark" ? "light" : "dark";
      root.setAttribute("data-theme", next);
      try { localStorage.setItem("octavo-theme", next); } catch (error) { return; }
    });
  });

  // Dates as people of the page's language write them
  each("time[datetime]", function (time) {
    var moment = new Date(time.dateTime);
    if (isNaN(moment)) return;
    try { time.textContent = moment.toLocaleDateString(root.lang, { dateStyle: "long", timeZone: "UTC" }); } catch (error) { return; }
  });

  // The current page shows in a navigation that is longer than the screen.
  var sidebar = document.getElementById("navigation");
  var here = document.querySelector(".tree [aria-current]");
  function showCurrent() {
    if (here && here.offsetHeight && sidebar.scrollHeight > sidebar.clientHeight) sidebar.scrollTop = here.getBoundingClientRect().top - sidebar.getBoundingClientRect().top + sidebar.scrollTop - sidebar.clientHeight / 3;
  }
  if (sidebar) {
    var toggle = sidebar.querySelector(".navigation-toggle");
    toggle.addEventListener("toggle", showCurrent);
    document.addEventListener("click", function (event) { if (!sidebar.contains(event.target)) toggle.open = false; });
    if (here && here.getBoundingClientRect().bottom > innerHeight) showCurrent();
  }

  // Menus close when the pointer or the focus goes elsewhere.
  document.addEventListener("click", function (event) {
    each("details.menu[open]", function (menu) { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape") return;
    each("details.menu[open]", function (menu) { menu.open = false; menu.querySelector("summary").focus(); });
  });

  // Tabs
  each(".tabs", function (tabs, number) {
    var panels = Array.prototype.filter.call(tabs.children, function (child) { return child.classList.contains("tab"); });
    var list = element("div", { role: "tablist", class: "tablist" });
    var buttons = panels.map(function (panel, index) {
      var id = "tab-" + number + "-" + index;
      var button = element("button", { type: "button", role: "tab", id: id, "aria-controls": id + "-panel" }, panel.getAttribute("aria-label"));
      panel.id = id + "-panel";
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", id);
      panel.removeAttribute("aria-label");
      button.addEventListener("click", function () { select(index); });
      list.appendChild(button);
      return button;
    });
    function select(chosen) {
      panels.forEach(function (panel, index) {
        panel.hidden = index !== chosen;
        buttons[index].setAttribute("aria-selected", String(index === chosen));
        buttons[index].tabIndex = index === chosen ? 0 : -1;
      });
    }
    list.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      var next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
      select(next);
      buttons[next].focus();
    });
    tabs.insertBefore(list, tabs.firstChild);
    select(0);
  });

  // Copying
  function copyButton(label, text) {
    var button = element("button", { type: "button", class: "copy" }, label);
    button.addEventListener("click", function () {
      Promise.resolve(text()).then(function (value) { return navigator.clipboard.writeText(value); }).then(function () {
        tell("✓");
      }, function () { tell("✗"); });
    });
    function tell(outcome) {
      button.textContent = outcome;
      button.classList.add("done");
      setTimeout(function () { button.textContent = label; button.classList.remove("done"); }, 1500);
    }
    return button;
  }
  if (navigator.clipboard) {
    each("figure.code", function (figure) {
      figure.appendChild(copyButton(root.getAttribute("data-copy"), function () {
        return Array.prototype.map.call(figure.querySelectorAll("code"), function (code) { return code.textContent; }).join("");
      }));
    });
    each('[data-action="copy"]', function (link) {
      link.replaceWith(copyButton(link.textContent, function () {
        return fetch(link.href).then(function (answer) { return answer.text(); });
      }));
    });
  }

  // The heading that is being read
  var entries = {};
  each(".contents a", function (link) { entries[decodeURIComponent(link.hash.slice(1))] = link; });
  var headings = Object.keys(entries).map(function (id) { return document.getElementById(id); }).filter(Boolean);
  var marked = null;
  var pending = false;
  function mark() {
    pending = false;
    // The last heading above the place that links lead to; at the end of the page,
    // where later ones cannot get there, the one in the address or the last.
    var atEnd = scrollY > 0 && scrollY + innerHeight >= root.scrollHeight - 2;
    var line = parseFloat(getComputedStyle(root).scrollPaddingTop) + 16;
    var above = headings.filter(function (heading) { return heading.getBoundingClientRect().top < (atEnd ? innerHeight : line); });
    var named = atEnd && above.filter(function (heading) { return "#" + heading.id === decodeURIComponent(location.hash) && heading.getBoundingClientRect().top > 0; })[0];
    var current = named || above.pop() || headings[0];
    if (current === marked) return;
    if (marked) entries[marked.id].removeAttribute("aria-current");
    marked = current;
    var link = entries[current.id];
    link.setAttribute("aria-current", "true");
    var list = link.closest(".contents");
    if (list.scrollHeight > list.clientHeight) list.scrollTop = link.offsetTop - list.clientHeight / 2;
  }
  if (headings.length) {
    var soon = function () { if (!pending) { pending = true; requestAnimationFrame(mark); } };
    addEventListener("scroll", soon, { passive: true });
    addEventListener("hashchange", soon);
    mark();
  }

  // Search
  var dialog = document.querySelector(".search-dialog");
  var field = document.getElementById("search");
  if (!dialog || !dialog.showModal || !field) return;
  var input = dialog.querySelector("input");
  var results = dialog.querySelector("#search-results");
  var status = dialog.querySelector(".search-empty");
  var timer = 0;
  var latest = 0;
  each(".search-key", function (key) { key.hidden = false; });

  function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.value = field.value;
    input.focus();
    search();
  }
  field.addEventListener("focus", open);
  field.addEventListener("click", open);
  each(".search-link", function (link) { link.addEventListener("click", function (event) { event.preventDefault(); open(); }); });
  dialog.addEventListener("close", function () { if (document.activeElement === field) field.blur(); });
  dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  document.addEventListener("keydown", function (event) {
    var typing = /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
    if (((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) && !dialog.open) {
      event.preventDefault();
      open();
    }
  });

  function options() { return results.querySelectorAll('[role="option"]'); }
  function choose(index) {
    Array.prototype.forEach.call(options(), function (option, at) {
      option.setAttribute("aria-selected", String(at === index));
      if (at === index) { input.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
    });
    if (index < 0) input.removeAttribute("aria-activedescendant");
  }
  function chosen() {
    return Array.prototype.findIndex.call(options(), function (option) { return option.getAttribute("aria-selected") === "true"; });
  }
  input.addEventListener("keydown", function (event) {
    var count = options().length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      var step = event.key === "ArrowDown" ? 1 : -1;
      if (count) choose((chosen() + step + count) % count);
    }
    if (event.key === "Escape") {
      // A search field would empty itself first.
      event.preventDefault();
      dialog.close();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      var target = options()[Math.max(chosen(), 0)];
      if (target) target.click();
    }
  });
  input.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(search, 120); });

  function search() {
    var query = input.value.trim();
    var number = ++latest;
    if (!query) { show([], query); status.textContent = ""; return; }
    fetch(dialog.getAttribute("data-source") + "?q=" + encodeURIComponent(query), { headers: { Accept: "application/json" } })
      .then(function (answer) { return answer.ok ? answer.json() : { results: [] }; })
      .then(function (found) { if (number === latest) show(found.results, query); }, function () { return; });
  }

  // Adds text with the words of the query marked.
  function addMarked(to, text, query) {
    var words = query.split(/\s+/).filter(Boolean).map(function (word) { return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); });
    text.split(new RegExp("(" + words.join("|") + ")", "gi")).forEach(function (part, index) {
      to.appendChild(index % 2 ? element("mark", {}, part) : document.createTextNode(part));
    });
    return to;
  }

  function show(found, query) {
    results.textContent = "";
    results.scrollTop = 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
    found.forEach(function (result, index) {
      var option = element("a", { role: "option", id: "result-" + index, "aria-selected": "false", href: result.address, tabindex: "-1" });
      option.appendChild(addMarked(element("span", { class: "result-title" }), result.title, query));
      if (result.place) option.appendChild(element("span", { class: "result-place" }, result.place));
      if (result.excerpt) option.appendChild(addMarked(element("span", { class: "result-excerpt" }), result.excerpt, query));
      var item = element("li", { role: "presentation", class: result.address.indexOf("#") < 0 ? "page" : "section" });
      item.appendChild(option);
      results.appendChild(item);
    });
    status.textContent = found.length ? "" : status.getAttribute("data-none");
    choose(found.length ? 0 : -1);
  }
})();
