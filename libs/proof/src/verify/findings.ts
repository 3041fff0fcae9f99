/** Why a file fails. */
export type FailureCode =
  | 'gap'
  | 'duplicate_id'
  | 'commitment'
  | 'file'
  | 'chain'
  | 'run_order'
  | 'run_label'
  | 'epoch'
  | 'signature'
  | 'quorum'
  | 'inclusion'
  | 'head'
  | 'unsealed'
  | 'as_of'
  | 'receipt'
  | UnusableCode;

/** Why nothing can be said of it. */
export type UnusableCode = 'arguments' | 'policy' | 'receipts' | 'form' | 'cut_off';

/** What whoever reads the verdict has to know. */
export type WarningCode = 'file' | 'open_run' | 'no_proof' | 'newer' | 'receipt_key' | 'unpinned';

export interface Finding<Code extends string = FailureCode | WarningCode> {
  readonly code: Code;
  /** Of the event it is about; null: it is about none. */
  readonly revision: number | null;
  readonly message: string;
}

/** So many are told of each kind: a file of strangers may hold millions. */
const MAX_FINDINGS = 1_000;

/** Findings in their order; of more than a thousand how many they are. */
export class Findings<Code extends string> {
  private readonly told: Finding<Code>[] = [];
  private untold = 0;
  private next: Code | null = null;

  get isEmpty(): boolean {
    return this.told.length === 0;
  }

  add(code: Code, revision: number | null, message: string): void {
    if (this.told.length < MAX_FINDINGS) this.told.push({ code, revision, message });
    else {
      this.next ??= code;
      this.untold += 1;
    }
  }

  get list(): readonly Finding<Code>[] {
    if (this.next === null) return this.told;
    return [...this.told, { code: this.next, revision: null, message: `and ${this.untold} more` }];
  }
}

/** What a file says, for a reader: short, in quotes, and nothing in it moves the cursor or turns the writing. */
export function shown(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return JSON.stringify(printable(short));
}

/** Without what cannot be seen. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`);
