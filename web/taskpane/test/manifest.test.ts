// The two manifests: in the order and with the parts that Word wants, at one address, with icons that exist in their size.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import Ajv from "ajv-draft-04";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { beneath, child, elements, parse, textOf, type Element } from "../../fakeword/src/xml.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const xmlText = readFileSync(here("../manifest.xml"), "utf8");
const jsonText = readFileSync(here("../manifest.json"), "utf8");
const OWNER = "https://localhost:18789";

/** What may stand in each element, in this order; the vendor's schemas know only sequences here (MS-OWEMXML). A mark: any number. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  OfficeApp: ["Id", "Version", "ProviderName", "DefaultLocale", "DisplayName", "Description", "IconUrl", "HighResolutionIconUrl", "SupportUrl", "AppDomains?", "Hosts", "Requirements", "DefaultSettings", "Permissions", "ov:VersionOverrides"],
  DisplayName: ["Override*"],
  Description: ["Override*"],
  Hosts: ["Host*"],
  Requirements: ["Sets"],
  Sets: ["Set*"],
  DefaultSettings: ["SourceLocation"],
  "ov:VersionOverrides": ["ov:Hosts", "ov:Resources"],
  "ov:Hosts": ["ov:Host*"],
  "ov:Host": ["ov:DesktopFormFactor"],
  "ov:DesktopFormFactor": ["ov:GetStarted", "ov:FunctionFile?", "ov:ExtensionPoint*"],
  "ov:GetStarted": ["ov:Title", "ov:Description", "ov:LearnMoreUrl"],
  "ov:ExtensionPoint": ["ov:OfficeTab"],
  "ov:OfficeTab": ["ov:Group*"],
  "ov:Group": ["ov:Label", "ov:Icon", "ov:Control*"],
  "ov:Icon": ["bt:Image*"],
  "ov:Control": ["ov:Label", "ov:Supertip", "ov:Icon", "ov:Action"],
  "ov:Supertip": ["ov:Title", "ov:Description"],
  "ov:Action": ["ov:TaskpaneId", "ov:SourceLocation"],
  "ov:Resources": ["bt:Images", "bt:Urls", "bt:ShortStrings", "bt:LongStrings"],
  "bt:Images": ["bt:Image*"],
  "bt:Urls": ["bt:Url*"],
  "bt:ShortStrings": ["bt:String*"],
  "bt:LongStrings": ["bt:String*"],
  "bt:String": ["bt:Override*"],
};

/** What is wrong with a manifest. */
function faults(text: string): string[] {
  const found: string[] = [];
  let root: Element;
  try {
    root = parse(text);
  } catch (problem) {
    return [String(problem)];
  }
  // What stands in the overrides has names of its own, and a place of its own in the table.
  const overrides = child(root, "VersionOverrides");
  for (const element of overrides ? [overrides, ...beneath(overrides)] : []) if (!element.name.startsWith("bt:")) element.name = `ov:${element.name}`;
  const all = [root, ...beneath(root)];
  for (const element of all) {
    const names = elements(element).map(({ name }) => name);
    const order = ORDER[element.name] ?? [];
    let at = 0;
    for (const name of names) {
      while (at < order.length && order[at]?.replace(/[*?]$/, "") !== name) {
        if (!/[*?]$/.test(order[at] ?? "")) found.push(`<${element.name}> lacks <${order[at]}> before <${name}>`);
        at += 1;
      }
      if (at === order.length) found.push(`<${name}> does not belong there in <${element.name}>`);
      else if (!order[at]?.endsWith("*")) at += 1;
    }
    for (const rest of order.slice(at).filter((name) => !/[*?]$/.test(name))) found.push(`<${element.name}> lacks <${rest}>`);
    for (const value of Object.entries(element.attributes).filter(([name]) => ["DefaultValue", "Value"].includes(name)).map(([, each]) => each)) {
      if (/:\/\//.test(value) && !value.startsWith(`${OWNER}/`)) found.push(`${value} is elsewhere`);
    }
  }
  const said = (name: string) => textOf(child(root, name) ?? { name, attributes: {}, children: [] });
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(said("Id"))) found.push("Id is no GUID");
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(said("Version"))) found.push("Version has not four parts");
  if ((child(root, "DisplayName")?.attributes["DefaultValue"] ?? "").length > 125) found.push("DisplayName is too long");
  if ((child(root, "Description")?.attributes["DefaultValue"] ?? "").length > 250) found.push("Description is too long");
  const named = new Set(all.flatMap(({ name, attributes }) => (name.startsWith("bt:") && attributes["id"] !== undefined ? [attributes["id"]] : [])));
  for (const { attributes } of all) {
    const resource = attributes["resid"];
    if (resource !== undefined && !named.has(resource)) found.push(`there is no resource ${resource}`);
    if (resource !== undefined && resource.length > 32) found.push(`${resource} has more than 32 characters`);
  }
  for (const { name, attributes } of all) {
    const limit = { "bt:ShortStrings": 125, "bt:LongStrings": 250 }[name === "bt:String" ? "bt:LongStrings" : name] ?? Number.POSITIVE_INFINITY;
    if ((attributes["DefaultValue"] ?? "").length > limit) found.push(`${attributes["id"]} is too long`);
  }
  for (const size of ["16", "32", "80"]) if (!all.some(({ name, attributes }) => name === "bt:Image" && attributes["size"] === size)) found.push(`there is no icon of ${size}`);
  return found;
}

/** The width and height of a PNG. */
function dimensions(file: string): [number, number] {
  const bytes = readFileSync(file);
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

describe("the manifests", () => {
  it("are built as Word wants them", () => {
    expect(faults(xmlText)).toEqual([]);
  });

  it.each([
    ["another order", xmlText.replace(/( *<Version>.*\n)( *<ProviderName>.*\n)/, "$2$1")],
    ["a part that lacks", xmlText.replace(/ *<SupportUrl.*\n/, "")],
    ["another address", xmlText.replace("https://localhost:18789/word/icon-32.png", "https://example.com/word/icon-32.png")],
    ["no encryption", xmlText.replaceAll("https://localhost", "http://localhost")],
    ["a resource that is not there", xmlText.replace('resid="pane.url"', 'resid="pane.uri"')],
    ["a version of three parts", xmlText.replace(/<Version>([0-9.]+)\.0</, "<Version>$1<")],
    ["an end that lacks", xmlText.replace("</OfficeApp>", "")],
  ])("are refused with %s", (_, text) => {
    expect(text).not.toBe(xmlText);
    expect(faults(text)).not.toEqual([]);
  });

  it("name icons that exist in their size", () => {
    const icons = [...`${xmlText}${jsonText}`.matchAll(/icon-(\d+)\.png/g)];
    expect(icons.length).toBeGreaterThan(8);
    for (const [name, size] of icons) {
      const file = here(`../icons/${name}`);
      expect(existsSync(file), name).toBe(true);
      expect(dimensions(file)).toEqual([Number(size), Number(size)]);
    }
  });

  it("say the same, the second by its vendor's schema", () => {
    const schema = createRequire(import.meta.url).resolve("@microsoft/app-manifest/package.json").replace("package.json", "build/json-schemas/teams/v1.19/MicrosoftTeams.schema.json");
    const Draft4 = (Ajv as unknown as { default?: typeof Ajv }).default ?? Ajv;
    const ajv = new Draft4({ strict: false, allErrors: true });
    ((addFormats as unknown as { default?: typeof addFormats }).default ?? addFormats)(ajv as never);
    const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")) as object);
    const manifest = JSON.parse(jsonText) as { id: string; version: string };
    validate(manifest);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...manifest, extensions: [{ requirements: 1 }] })).toBe(false);
    expect(xmlText).toContain(`<Id>${manifest.id}</Id>`);
    expect(xmlText).toContain(`<Version>${manifest.version}.0</Version>`);
    const { version } = JSON.parse(readFileSync(here("../../engine/package.json"), "utf8")) as { version: string };
    expect(manifest.version).toBe(version);
    for (const [url] of jsonText.matchAll(/https:\/\/[^"]*/g)) expect(url.startsWith(`${OWNER}/`) || url.includes("json-schemas"), url).toBe(true);
  });
});
