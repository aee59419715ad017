// A form made from a tool's schema: a field for each parameter, in the words of its description.

import { element } from "../words.js";
import { choice, field } from "./panel.js";

export class SchemaForm {
  #fields = [];

  constructor({ properties = {}, required = [] }) {
    this.element = element("div", { className: "fields" });
    for (const [name, schema] of Object.entries(properties)) {
      const made = new Field(name, schema, required.includes(name));
      this.#fields.push(made);
      this.element.append(made.element);
    }
  }

  get isEmpty() {
    return !this.#fields.length;
  }

  /** The arguments; what was left empty is left out. Throws with the name of a field that can't be read. */
  get values() {
    return Object.fromEntries(this.#fields.filter((each) => each.given).map((each) => [each.name, each.value]));
  }
}

class Field {
  #schema;
  #input;
  #kind;

  constructor(name, schema, required) {
    this.name = name;
    this.#schema = plain(schema);
    this.#kind = this.#schema.enum ? "choice" : (this.#schema.type ?? "other");
    this.#input = this.#made(schema.default, required);
    this.#input.required = required && this.#kind !== "boolean";
    const label = `${name.replaceAll("_", " ")}${required ? "" : " (optional)"}`;
    this.element = field(label, this.#input, told(schema, this.#schema));
    this.element.classList.toggle("check", this.#kind === "boolean");
  }

  #made(usual, required) {
    const { type, minimum, maximum, maxLength } = this.#schema;
    switch (this.#kind) {
      case "choice": {
        const empty = required ? [] : [["", usual ? `as usual: ${usual}` : "as usual"]];
        return choice([...empty, ...this.#schema.enum.map(String)], "");
      }
      case "boolean":
        return element("input", { type: "checkbox", checked: usual === true });
      case "integer":
      case "number": {
        const input = element("input", { type: "number", step: type === "integer" ? 1 : "any", placeholder: usual ?? "" });
        if (minimum !== undefined) input.min = minimum;
        if (maximum !== undefined) input.max = maximum;
        return input;
      }
      case "string":
        return element("input", { type: "text", placeholder: usual ?? "", ...(maxLength ? { maxLength } : {}) });
      default:
        return element("textarea", { rows: 2, placeholder: usual === undefined || usual === null ? "JSON" : JSON.stringify(usual), spellcheck: false });
    }
  }

  get given() {
    return this.#kind === "boolean" ? this.#input.checked !== (this.#schema.default === true) || this.#input.checked : this.#input.value !== "";
  }

  get value() {
    const { value, checked } = this.#input;
    if (this.#kind === "boolean") return checked;
    if (this.#kind === "integer" || this.#kind === "number") return Number(value);
    if (this.#kind === "string" || this.#kind === "choice") return value;
    try {
      return JSON.parse(value);
    } catch {
      throw new Error(`${this.name.replaceAll("_", " ")}: this is not JSON`);
    }
  }
}

/** Of "this or nothing" the this. */
function plain(schema) {
  const ways = (schema.anyOf ?? []).filter((way) => way.type !== "null");
  return ways.length === 1 ? { ...schema, ...ways[0] } : schema;
}

function told(schema, { minimum, maximum }) {
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : "";
  return [schema.description, range].filter(Boolean).join("; ");
}
