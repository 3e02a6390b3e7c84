// Hands bytes to the person as a file.
//
// Must never let the browser open them as a page.

/** Saves a file under a name of which nothing can be a path. */
export function save(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name.replace(/[\\/:*?"<>|\u0000-\u001f\u202a-\u202e\u2066-\u2069]/g, "_");
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Rows as CSV that no spreadsheet takes for a formula. */
export function csv(rows: readonly (readonly string[])[]): Blob {
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  // The mark tells Excel that it is UTF-8.
  return new Blob([`\ufeff${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`], { type: "text/csv" });
}
