// The components for messages of tools, by the tool's name (specification 004, "No display.customUI").

import { chart } from "./chart";
import { choice } from "./choice";
import type { Component } from "./component";
import { confirmation } from "./confirmation";
import { fallback } from "./fallback";
import { form } from "./form";
import { image } from "./image";
import { progress } from "./progress";
import { table } from "./table";

interface Registry {
  readonly by_name: Readonly<Record<string, Component>>;
  readonly Fallback: Component;
}

export const tools: Registry = {
  by_name: {
    displayChart: chart,
    displayTable: table,
    displayImage: image,
    confirmAction: confirmation,
    requestForm: form,
    fillForm: form,
    chooseOption: choice,
    showProgress: progress,
  },
  Fallback: fallback,
};

/** `displayChart`, `display_chart` and `Display-Chart` are one name. */
export const folded = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

const BY_FOLDED = new Map(Object.entries(tools.by_name).map(([name, component]) => [folded(name), component]));

/** The component of a tool; the fallback for any other name. */
export function componentFor(name: string): Component {
  return BY_FOLDED.get(folded(name)) ?? tools.Fallback;
}
