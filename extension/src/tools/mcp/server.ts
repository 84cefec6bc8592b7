// One MCP server: its state in plain words, what to do about it, and its tools.

import type { McpServer } from "../../../generated/McpServer";
import { fill, h, icon, type Child } from "../../popup/element";
import { changeGuarded } from "../../popup/guarded-change";
import { t } from "../../popup/i18n";
import { changeServer, getServerSignIn, refreshServer, removeServer, signOutOfServer } from "../../popup/mcp/api";
import { confirmInline, iconButton, problem, whileBusy } from "../../popup/parts";
import { plain } from "../../popup/plain";
import { askToReach } from "../../popup/settings/reach";
import { toggle } from "../switch";
import { askForRules, fitOriginRules } from "./origin";
import { ServerSignIn } from "./sign-in";
import { toolRow } from "./tool";
import { stateWords } from "./words";

export class ServerPanel {
  readonly element: HTMLElement;
  readonly #body = h("div", { class: "mcp-server-body" });
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #signIn: ServerSignIn;
  #isSignedIn = false;
  #areToolsOpen = false;
  #rendered = "";
  #server: McpServer;

  /** `changed`: another list of servers, or other tools. */
  constructor(
    server: McpServer,
    private readonly changed: () => void,
  ) {
    this.#server = server;
    this.#signIn = new ServerSignIn(server);
    this.element = h("li", { class: "mcp-server", "data-testid": `mcp-server-${server.name}` }, this.#body, this.#notice);
    this.show(server);
    void this.#askSignIn();
  }

  show(server: McpServer): void {
    this.#server = server;
    const next = JSON.stringify([server, this.#isSignedIn]);
    if (next === this.#rendered) return;
    this.#rendered = next;
    this.element.dataset["state"] = server.state.name;
    this.element.dataset["enabled"] = String(server.isEnabled);
    const focused = this.#focused();
    fill(this.#body, this.#head(), ...this.#facts(), this.#buttons(), this.#tools());
    focused?.();
  }

  /** Puts the focus back on the same control after the parts were made again. */
  #focused(): (() => void) | undefined {
    const active = document.activeElement;
    const testId = active instanceof HTMLElement && this.#body.contains(active) ? active.dataset["testid"] : undefined;
    return testId === undefined ? undefined : () => this.#body.querySelector<HTMLElement>(`[data-testid="${CSS.escape(testId)}"]`)?.focus();
  }

  #head(): HTMLElement {
    const { id, name, url, isEnabled } = this.#server;
    return h(
      "div",
      { class: "bundle-head" },
      h("div", { class: "bundle-main" }, h("h3", {}, plain(name)), h("code", {}, plain(url))),
      toggle({
        label: t("mcp_switch", plain(name)),
        isOn: isEnabled,
        testId: `mcp-switch-${name}`,
        change: async (isOn) => this.show(await changeServer(id, { isEnabled: isOn })),
        failed: (error) => this.#failed(error),
      }),
    );
  }

  #facts(): Child[] {
    const { state, protocolVersion, serverInfo, allowedTools, withoutOrigin } = this.#server;
    const about = [
      ...(serverInfo === undefined ? [] : [t("mcp_calls_itself", plain(serverInfo))]),
      ...(protocolVersion === undefined ? [] : [t("mcp_protocol", plain(protocolVersion))]),
      ...(withoutOrigin ? [t("mcp_without_origin_on")] : []),
      ...(this.#isSignedIn ? [t("mcp_signed_in")] : []),
    ];
    return [
      h("p", { class: state.name === "ready" ? "hint" : "mcp-state", role: "status", "data-testid": "mcp-state" }, plain(stateWords(this.#server))),
      about.length > 0 && h("p", { class: "hint" }, about.join(" · ")),
      allowedTools !== undefined && h("p", { class: "hint" }, t("mcp_only", allowedTools.map(plain).join(", "))),
      state.name === "origin_refused" && !withoutOrigin && this.#origin(),
      state.name === "origin_refused" && withoutOrigin && h("p", { class: "hint", "data-testid": "mcp-restart" }, t("mcp_origin_restart")),
    ];
  }

  /** Why a server refuses an extension, and what can be done. */
  #origin(): HTMLElement {
    const { id, name, url } = this.#server;
    const press = h("button", { type: "button", "data-testid": `mcp-without-origin-${name}` }, t("mcp_without_origin"));
    press.addEventListener("click", () => {
      const run = async (): Promise<void> => {
        await askForRules(url);
        // First: the server is asked again as soon as it is changed.
        const late = await fitOriginRules(this.#server).then(() => undefined, (error: unknown) => error);
        this.show(await changeServer(id, { withoutOrigin: true }));
        // The worker makes the rule when the browser starts.
        if (late !== undefined) throw late;
      };
      this.#work(press, t("mcp_refreshing"), run);
    });
    return h("div", { class: "mcp-origin" }, h("p", {}, t("mcp_origin_text")), h("p", { class: "hint" }, t("mcp_origin_risk")), press);
  }

  #buttons(): HTMLElement {
    const { id, name, url, state, withoutOrigin } = this.#server;
    const refresh = h("button", { type: "button", "data-testid": `mcp-refresh-${name}` }, t("mcp_refresh"));
    refresh.addEventListener("click", () => {
      this.#work(refresh, t("mcp_refreshing"), async () => {
        await askToReach(url);
        this.show(await refreshServer(id));
      });
    });
    const withOrigin = h("button", { type: "button", class: "quiet" }, t("mcp_with_origin"));
    withOrigin.addEventListener("click", () => {
      this.#work(withOrigin, t("tools_saving"), async () => {
        this.show(await changeServer(id, { withoutOrigin: false }));
        this.changed();
      });
    });
    return h(
      "div",
      { class: "buttons tool-buttons" },
      iconButton("bin", t("mcp_remove", plain(name)), () => this.#remove(), `mcp-remove-${name}`),
      withoutOrigin && withOrigin,
      this.#isSignedIn && this.#signOutButton(),
      state.name === "sign_in_required" && this.#signInButton(),
      refresh,
    );
  }

  #signInButton(): HTMLElement {
    const { id, name } = this.#server;
    const press = h("button", { type: "button", class: "primary", "data-testid": `mcp-sign-in-${name}` }, icon("key"), t("mcp_sign_in"));
    press.addEventListener("click", () => {
      fill(this.#notice);
      const run = async (password?: string): Promise<void> => {
        await whileBusy(press, t("mcp_signing_in"), () => this.#signIn.run(password));
        await this.#askSignIn();
        this.show(await refreshServer(id));
      };
      changeGuarded(this.#notice, run).catch((error: unknown) => this.#failed(error));
    });
    return press;
  }

  #signOutButton(): HTMLElement {
    const { id, name } = this.#server;
    const press = h("button", { type: "button", class: "quiet", "data-testid": `mcp-sign-out-${name}` }, t("mcp_sign_out"));
    press.addEventListener("click", () => {
      this.#work(press, t("mcp_signing_out"), async () => {
        await signOutOfServer(id);
        await this.#askSignIn();
      });
    });
    return press;
  }

  #tools(): HTMLElement | undefined {
    const { tools } = this.#server;
    if (tools.length === 0) return undefined;
    const waiting = tools.filter(({ standing }) => standing.name !== "allowed").length;
    const details = h("details", { class: "mcp-tools", open: this.#areToolsOpen || tools.some(({ standing }) => standing.name === "changed") });
    details.addEventListener("toggle", () => (this.#areToolsOpen = details.open));
    fill(
      details,
      h("summary", { "data-testid": `mcp-tools-${this.#server.name}` }, waiting === 0 ? t("mcp_tools") : t("mcp_tools_waiting", tools.length, waiting)),
      h("p", { class: "hint" }, t("mcp_tools_hint")),
      h("ul", { class: "mcp-tool-list" }, ...tools.map((tool) => toolRow(this.#server, tool, (server) => this.show(server)))),
    );
    return details;
  }

  #remove(): void {
    const { id, name } = this.#server;
    const confirmed = (button: HTMLButtonElement): void => {
      whileBusy(button, t("tools_deleting"), () => removeServer(id)).then(
        () => this.changed(),
        (error: unknown) => this.#failed(error),
      );
    };
    const kept = (): void => {
      fill(this.#notice);
      this.#body.querySelector<HTMLElement>(`[data-testid="${CSS.escape(`mcp-remove-${name}`)}"]`)?.focus();
    };
    const question = t("mcp_remove_question", plain(name));
    fill(this.#notice, confirmInline({ question, yes: t("tools_delete"), testId: "mcp-remove", confirmed, kept }));
    this.#notice.querySelector("button")?.focus();
  }

  async #askSignIn(): Promise<void> {
    const { signedIn } = await getServerSignIn(this.#server.id).catch(() => ({ signedIn: false }));
    this.#isSignedIn = signedIn;
    this.show(this.#server);
  }

  #work(button: HTMLButtonElement, busy: string, run: () => Promise<void>): void {
    fill(this.#notice);
    whileBusy(button, busy, run).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    fill(this.#notice, problem(error));
  }
}
