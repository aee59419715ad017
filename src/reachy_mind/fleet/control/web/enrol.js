// What a phone shows that has read the code of an enrolment: the code, which follows the `#` and is sent nowhere.

function show() {
  const code = location.hash.slice(1);
  if (!/^\d{8}$/.test(code)) return;
  document.getElementById("told").textContent = "The device asks for this code and address. The code works once, for ten minutes.";
  document.getElementById("code").textContent = `${code.slice(0, 4)} ${code.slice(4)}`;
  document.getElementById("address").textContent = location.origin;
}

addEventListener("hashchange", show);
show();
