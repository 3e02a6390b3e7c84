// Errors as Word gives them.
//
// Must never be thrown for a fault of the double itself.

/** An error with the code that Word gives. */
export class WordError extends Error {
  readonly code: string;

  constructor(code: string, message = code) {
    super(message);
    this.name = "RichApi.Error";
    this.code = code;
  }
}
