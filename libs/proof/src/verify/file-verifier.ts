import { LineSplitter } from './line-splitter.js';
import type { VerifyInput } from './trust.js';
import type { Verdict } from './verdict.js';
import { Verifier } from './verifier.js';

/** Verifies a file that comes in pieces, of any size. */
export class FileVerifier {
  private readonly verifier: Verifier;
  private readonly splitter = new LineSplitter();
  private isWanted = true;

  constructor(input: VerifyInput = {}) {
    this.verifier = new Verifier(input);
  }

  /** Whether more is wanted. */
  push(piece: Uint8Array): boolean {
    if (!this.isWanted) return false;
    const fault = this.splitter.push(piece, (line) => (this.isWanted = this.verifier.push(line)));
    if (fault !== null) {
      this.verifier.refuse('form', fault);
      this.isWanted = false;
    }
    return this.isWanted;
  }

  end(): Verdict {
    return this.verifier.end(this.splitter.isBroken);
  }
}
