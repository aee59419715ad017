// The views of the page, in the order of the bar. A new one is a line here and a module that exports its class; see Views.

export const VIEWS = [
  { id: "talk", name: "Talk", icon: "M4 5h16v11H9.5L5 19.5V16H4z", stage: true },
  { id: "camera", name: "Camera", icon: "M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.3a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4", load: () => import("./camera.js") },
  { id: "personality", name: "Personality", icon: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5c.6-4 3.4-6 7.5-6s6.9 2 7.5 6", load: () => import("./personality.js") },
  { id: "moves", name: "Moves", icon: "M3 14c3 0 3-8 6-8s3 12 6 12 3-7 6-7", stage: true, load: () => import("./moves.js") },
  { id: "tools", name: "Tools", icon: "M14.5 6.5a4 4 0 0 0-5.2 5L4 16.8 7.2 20l5.3-5.3a4 4 0 0 0 5-5.2L15 12l-3-3z", load: () => import("./tools.js") },
  { id: "workshop", name: "Workshop", icon: "M4 20 14 10M12.5 4.5l7 7-3 3-7-7zM15 15l5 5", stage: true, load: () => import("./workshop.js") },
  { id: "memory", name: "Memory", icon: "M6 4h12v16l-6-4-6 4z", load: () => import("./memory.js") },
  { id: "learning", name: "Learning", icon: "M3 9.5 12 5l9 4.5-9 4.5zM7 12v4.5c1.3 1.3 3 2 5 2s3.7-.7 5-2V12M21 9.5V15", load: () => import("./learning.js") },
  { id: "training", name: "Training", icon: "M4 4v16h16M7.5 15.5l3.5-4 3 2.5 5-7", stage: true, load: () => import("./training.js") },
  { id: "developer", name: "Developer", icon: "M8 7.5 3.5 12 8 16.5M16 7.5l4.5 4.5-4.5 4.5M13.5 5l-3 14", load: () => import("./developer.js") },
  { id: "settings", name: "Settings", icon: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5", load: () => import("./settings.js") },
];
