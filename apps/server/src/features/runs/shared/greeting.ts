/** What the interactive page fills in for the message. */
export const GREETING = 'Hello! Please introduce yourself: who are you, and what can you do for me?';
