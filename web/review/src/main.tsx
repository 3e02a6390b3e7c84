import { render } from "preact";
import { Host } from "./host.ts";
import type { HostLook } from "./host.ts";
import { ReviewModel } from "./model.ts";
import { Review } from "./Review.tsx";
import { language, speak, t } from "./texts.ts";

const model = new ReviewModel();
const host = new Host(window, {
  input: (given) => model.begun(given),
  result: (result) => model.ended(result),
  cancelled: () => model.cancelled(),
  look,
});

function look({ theme, locale, variables }: HostLook): void {
  const root = document.documentElement;
  if (theme) root.dataset["theme"] = theme;
  if (locale !== undefined) speak(locale);
  for (const [name, value] of Object.entries(variables)) root.style.setProperty(name, value);
  root.lang = language.value;
  document.title = t("title");
}

const place = document.getElementById("review");
if (place) {
  render(<Review model={model} host={host} />, place);
  host.connect().then(
    (abilities) => {
      model.abilities.value = abilities;
      const tell = () => host.size(Math.ceil(place.scrollWidth), Math.ceil(document.documentElement.getBoundingClientRect().height));
      new ResizeObserver(tell).observe(place);
      tell();
    },
    () => model.alone(),
  );
}
