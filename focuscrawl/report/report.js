(function () {
  "use strict";
  var box = document.getElementById("find");
  if (!box) return;
  var count = document.getElementById("count");
  var rows = Array.prototype.map.call(document.querySelectorAll("#all tbody tr"), function (row) {
    return [row, row.textContent.toLowerCase()];
  });
  function show() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    rows.forEach(function (pair) {
      var hit = words.every(function (word) { return pair[1].indexOf(word) >= 0; });
      pair[0].hidden = !hit;
      shown += hit ? 1 : 0;
    });
    count.textContent = count.getAttribute("data-text").replace("{n}", shown.toLocaleString("en"));
  }
  box.parentNode.hidden = false;
  box.addEventListener("input", show);
  show();
})();
