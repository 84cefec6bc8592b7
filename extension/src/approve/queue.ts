// Selects the shown prompt. A newer prompt never replaces the shown one.

import type { Prompt } from "../../generated/Prompt";
import type { PromptOutcome } from "../../generated/PromptOutcome";

/** That a prompt is settled. */
export interface Settled {
  readonly id: string;
  readonly outcome: PromptOutcome;
}

export class Queue {
  #open: Prompt[] = [];
  #current: Prompt | undefined;
  #settled = 0;
  readonly #gone = new Set<string>();

  /** `first`: the id of the prompt to start with. */
  constructor(private readonly first: string | null) {}

  get current(): Prompt | undefined {
    return this.#current;
  }

  /** "2 of 3", counting those that were settled while the page was open. */
  get place(): { number: number; total: number } {
    return { number: this.#settled + 1, total: this.#settled + this.#open.length };
  }

  /** Whether a prompt is open here, or was settled while it was. */
  has(id: string): boolean {
    return this.#gone.has(id) || this.#open.some((prompt) => prompt.id === id);
  }

  /** Sets all open prompts. Returns whether the shown one is no longer open. */
  replace(open: readonly Prompt[]): boolean {
    const shown = this.#current;
    this.#open = [...open].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    const gone = shown !== undefined && !this.#open.some(({ id }) => id === shown.id);
    if (gone) this.#settled += 1;
    this.#choose();
    return gone;
  }

  /** A new, changed or settled prompt. Returns whether it settles the shown one. */
  take(prompt: Prompt | Settled): boolean {
    const others = this.#open.filter(({ id }) => id !== prompt.id);
    // One that was loaded while it was settled may come later than its outcome.
    if (prompt.outcome === null) return this.#gone.has(prompt.id) ? false : this.replace([...others, prompt]);
    this.#gone.add(prompt.id);
    const known = others.length < this.#open.length;
    if (known && prompt.id !== this.#current?.id) this.#settled += 1;
    return this.replace(others);
  }

  /** Another prompt of the same call takes the place of one. */
  takePlaceOf(id: string, next: Prompt | undefined): void {
    this.#gone.add(id);
    const others = this.#open.filter((prompt) => prompt.id !== id && prompt.id !== next?.id);
    if (next && this.#current?.id === id) this.#current = next;
    this.#open = next ? [...others, next] : others;
    this.replace(this.#open);
  }

  /** A prompt was answered here. */
  settle(id: string): void {
    this.#gone.add(id);
    this.replace(this.#open.filter((prompt) => prompt.id !== id));
  }

  #choose(): void {
    const find = (id: string | null | undefined): Prompt | undefined => this.#open.find((prompt) => prompt.id === id);
    this.#current = find(this.#current?.id) ?? find(this.first) ?? this.#open[0];
  }
}
