import { requireServer } from './server-there.js';

/** Before the contract is held against a real server: ends with 1, and a line, where EVENTSTORE_URL names none. */
const url = process.env['EVENTSTORE_URL'];
if (url !== undefined)
  try {
    await requireServer(url);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
