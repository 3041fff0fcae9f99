import type { Warn, WarningCode } from './warnings.js';

/** What pdf.js says on the console while it goes on, and what it means for the text. */
const MEANINGS: readonly (readonly [RegExp, WarningCode, string])[] = [
  [/Image exceeded maximum allowed size/, 'limit', 'a picture of more than 40 million pixels is not read'],
  [
    /Unable to decode image|Dependent image isn't ready|Unable to decode inline image/i,
    'unreadable_picture',
    'a picture of the page is damaged',
  ],
  [
    /getOperatorList - ignoring|getTextContent - ignoring|Invalid command/i,
    'unreadable_part',
    'a part of the page is damaged',
  ],
];

/** Captures pdf.js warnings about content that it skips; it only reports them to the console. */
export class PdfComplaints {
  /** That is being read. */
  page = 1;
  private readonly before = console.warn;

  constructor(warn: Warn) {
    console.warn = (message: unknown) => {
      const said = String(message).slice(0, 1000);
      const meaning = MEANINGS.find(([pattern]) => pattern.test(said));
      if (meaning !== undefined) warn(meaning[1], meaning[2], this.page);
    };
  }

  close(): void {
    console.warn = this.before;
  }
}
