/** What whoever checks the log is told. */
export class ProofTerms {
  constructor(
    /** Without a key, too. */
    readonly isPublic: boolean,
    /** Whom to believe, as a policy file. */
    readonly policy: () => string,
  ) {}
}
