// The search, the theme, the versions and the menu of small screens. Without this script everything else works.
(function () {
  "use strict";
  var body = document.body, root = body.dataset.root, query = document.getElementById("query");
  var found = document.getElementById("found"), count = document.getElementById("count"), results = document.getElementById("results");

  // A page that is a file may not fetch another one, so what is searched is a script, which is loaded at the first search.
  var loading = null;
  function sections() {
    if (!loading) {
      loading = new Promise(function (resolve) {
        var script = document.createElement("script");
        script.src = root + "search.js";
        script.onload = function () { resolve(window.orrerySections); };
        document.head.appendChild(script);
      });
    }
    return loading;
  }

  // Every word has to be in a section. Those in a title count most, and then how often they are there.
  function rank(section, words) {
    var page = section.p.toLowerCase(), title = section.t.toLowerCase(), text = section.x.toLowerCase(), sum = 0;
    for (var i = 0; i < words.length; i++) {
      var here = (title.indexOf(words[i]) >= 0 ? 40 : 0) + (page.indexOf(words[i]) >= 0 ? 15 : 0) + Math.min(text.split(words[i]).length - 1, 12);
      if (here === 0) return 0;
      sum += here;
    }
    return sum;
  }

  function snippet(text, word) {
    var at = text.toLowerCase().indexOf(word), from = Math.max(0, at - 60), part = document.createElement("span");
    part.className = "snippet";
    if (at < 0) {
      part.textContent = text.slice(0, 140);
      return part;
    }
    var mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + word.length);
    part.append((from > 0 ? "… " : "") + text.slice(from, at), mark, text.slice(at + word.length, at + 100) + " …");
    return part;
  }

  function show(all, words) {
    results.textContent = "";
    all.slice(0, 30).forEach(function (hit) {
      var entry = document.createElement("li"), link = document.createElement("a"), where = document.createElement("span");
      link.href = root + hit.section.a;
      link.textContent = hit.section.t;
      where.className = "where";
      where.textContent = hit.section.p;
      entry.append(link, where, snippet(hit.section.x, words[0]));
      results.appendChild(entry);
    });
    count.textContent = all.length === 0 ? "Nothing is found." : all.length === 1 ? "1 section" : all.length + " sections" + (all.length > 30 ? ", the first 30:" : "");
    found.hidden = false;
  }

  function search() {
    var words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      found.hidden = true;
      return;
    }
    sections().then(function (all) {
      var hits = all.map(function (section) { return { section: section, rank: rank(section, words) }; });
      hits = hits.filter(function (hit) { return hit.rank > 0; }).sort(function (a, b) { return b.rank - a.rank; });
      show(hits, words);
    });
  }

  query.addEventListener("input", search);
  query.form.addEventListener("submit", function (event) {
    event.preventDefault();
    search();
  });
  var asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    query.value = asked;
    search();
  }

  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      query.focus();
    } else if (event.key === "Escape" && !found.hidden) {
      found.hidden = true;
      query.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !found.hidden) {
      var links = [query].concat(Array.from(results.querySelectorAll("a"))), at = links.indexOf(document.activeElement);
      if (at >= 0) {
        event.preventDefault();
        links[(at + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length].focus();
      }
    }
  });
  results.addEventListener("click", function (event) { if (event.target.tagName === "A") found.hidden = true; });

  document.getElementById("theme").addEventListener("click", function () {
    var dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("orrery-theme", document.documentElement.dataset.theme); } catch (e) { /* a browser may keep nothing for files */ }
  });

  var opener = document.getElementById("opener");
  opener.addEventListener("click", function () {
    var open = opener.getAttribute("aria-expanded") === "true";
    opener.setAttribute("aria-expanded", String(!open));
    document.getElementById("groups").classList.toggle("open", !open);
  });

  var versions = window.orreryVersions || [], current = body.dataset.version;
  if (versions.length > 1) {
    var choice = document.createElement("select");
    choice.setAttribute("aria-label", "Version");
    versions.forEach(function (version) {
      choice.add(new Option(version, version, false, version === current));
    });
    choice.addEventListener("change", function () { location.href = body.dataset.top + choice.value + "/index.html"; });
    document.getElementById("version").replaceChildren(choice);
  }
})();
