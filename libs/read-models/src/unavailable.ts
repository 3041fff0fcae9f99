/** The database does not answer now. Appends and runs go on; the tables catch up when it is back. */
export class ReadModelsUnavailable extends Error {
  override readonly name = 'ReadModelsUnavailable';
}

/** The database answers but cannot be used; nothing changes that but the operator. The message is one line for him. */
export class ReadModelsRefused extends Error {
  override readonly name = 'ReadModelsRefused';
}
