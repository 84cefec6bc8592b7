// A list of rows that can be added and removed.

import { fill, h, type Child } from "../../popup/element";
import { iconButton } from "../../popup/parts";

interface RowsOptions<Row> {
  make(row: Row, changed: () => void): { readonly element: HTMLElement; read(): Row; focus(): void };
  empty(): Row;
  words: { add: string; remove: (number: number) => string; none?: Child };
  testId: string;
  changed(): void;
}

export class Rows<Row> {
  readonly element: HTMLElement;
  readonly #list = h("div", { class: "edit-rows" });
  readonly #add: HTMLButtonElement;
  #rows: ReturnType<RowsOptions<Row>["make"]>[] = [];

  constructor(private readonly options: RowsOptions<Row>) {
    this.#add = h("button", { type: "button", class: "link", "data-testid": `${options.testId}-add` }, options.words.add);
    this.#add.addEventListener("click", () => {
      const row = this.#make(options.empty());
      this.#rows.push(row);
      this.#render();
      row.focus();
      options.changed();
    });
    this.element = h("div", { class: "edit-list" }, this.#list, this.#add);
  }

  show(rows: readonly Row[]): void {
    this.#rows = rows.map((row) => this.#make(row));
    this.#render();
  }

  read(): Row[] {
    return this.#rows.map((row) => row.read());
  }

  #make(row: Row): ReturnType<RowsOptions<Row>["make"]> {
    return this.options.make(row, () => this.options.changed());
  }

  #render(): void {
    const { words } = this.options;
    fill(this.#list, ...(this.#rows.length === 0 ? [words.none] : this.#rows.map((row, i) => this.#line(row, i))));
  }

  #line(row: ReturnType<RowsOptions<Row>["make"]>, i: number): HTMLElement {
    const remove = iconButton("cross", this.options.words.remove(i + 1), () => {
      this.#rows = this.#rows.filter((other) => other !== row);
      this.#render();
      this.#add.focus();
      this.options.changed();
    });
    return h("div", { class: "edit-row" }, row.element, remove);
  }
}
