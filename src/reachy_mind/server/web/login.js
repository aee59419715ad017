// Comes in with the one-time code of the link, which is what follows its `#` and is sent nowhere but here.

const told = document.getElementById("told");

async function comeIn(code) {
  history.replaceState(null, "", "/login");
  const answer = await fetch("/api/v1/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (answer.ok) {
    location.replace("/");
    return;
  }
  const { error } = await answer.json();
  tell(error.code === "BUSY" ? "Too many tries. Wait a minute, then take a new code." : "This code is used up, or too old.");
}

function tell(text) {
  told.textContent = text;
  document.getElementById("how").hidden = false;
}

function begin() {
  const code = location.hash.slice(1);
  if (code) {
    comeIn(code).catch(() => tell("The robot's mind does not answer."));
  } else {
    tell("You are not logged in.");
  }
}

addEventListener("hashchange", () => location.hash && begin()); // a link that is opened where this page is already
begin();
