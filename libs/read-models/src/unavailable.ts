/** The database does not answer now. Appends and runs go on; the tables catch up when it is back. */
export class ReadModelsUnavailable extends Error {
  override readonly name = 'ReadModelsUnavailable';

  /** @param isStatementTimeout it was asked, and did not come to the end of the statement in time */
  constructor(
    message: string,
    readonly isStatementTimeout = false,
  ) {
    super(message);
  }
}

/** The database answers but cannot be used; nothing changes that but the operator. The message is one line for him. */
export class ReadModelsRefused extends Error {
  override readonly name = 'ReadModelsRefused';
}
