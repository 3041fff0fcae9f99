/** With what the demo model ends what it says, so that nobody takes it for a real one. */
export const NOTICE =
  'I am the built-in demo model: I answer by simple rules, offline. ' +
  'Set OPENAI_BASE_URL and OPENAI_API_KEY to bring a real one.';
