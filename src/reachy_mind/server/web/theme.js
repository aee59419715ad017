// Light or dark before the first paint: a person's choice, else as the system has it. Not a module, so that it comes first.
{
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
