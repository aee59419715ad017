// What is said aloud, to the robot or to this page, as turns of the conversation: the mind's events tell of them.

export class SpokenTurns {
  #told;
  #sessions = new Map();
  #turn = null;

  /** The last one that began, by its id. */
  latest = "";

  /** @param told is given the events of a turn, as a chat socket tells them */
  constructor(told) {
    this.#told = told;
  }

  /** The conversation that goes on there ("robot", "voice"); none: "". */
  follow(where, session) {
    if (session) this.#sessions.set(where, session);
    else this.#sessions.delete(where);
  }

  /** The line went down: what is being answered is not known any more. */
  forget() {
    this.#turn = null;
  }

  /** An event of the mind. */
  heard(event) {
    if (![...this.#sessions.values()].includes(event.conversation)) return;
    if (event.type === "TurnStarted" && event.spoken) {
      this.#turn = { id: event.turn_id, conversation: event.conversation, at: performance.now() };
      this.latest = event.turn_id;
      this.#told({ type: "started", turn: event.turn_id, text: event.text, session_id: event.conversation });
    }
    if (event.conversation !== this.#turn?.conversation) return;
    const turn = this.#turn.id;
    if (event.type === "ReplyGrew" && event.turn_id === turn) this.#told({ type: "delta", turn, text: event.text });
    if (event.type === "ToolCalled") {
      this.#told({ type: "tool", turn, name: event.tool, args: event.arguments, status: event.status, error: event.error });
    }
    if (event.type === "TurnEnded" && event.turn_id === turn) {
      const { reply, brain, latency_ms, error } = event;
      const duration_ms = performance.now() - this.#turn.at;
      this.#turn = null;
      this.#told({ type: "done", turn, turn_id: turn, reply, brain, latency_ms, duration_ms, error });
    }
  }
}
