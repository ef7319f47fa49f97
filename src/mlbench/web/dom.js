// Elements are made with text only: nothing of a model or a repository is ever read as HTML.
function make(tag, options = {}, ...children) {
  const { text, data, ...attributes } = options;
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  for (const [name, value] of Object.entries(data ?? {})) element.dataset[name] = value;
  if (text != null) element.textContent = visible(String(text));
  element.append(...children.filter((child) => child != null));
  return element;
}

// Control characters, escapes and direction marks are shown, not obeyed.
const named = (sign) => `⟨U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
function visible(text) {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\x80-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, named);
}

