/** Mistakes that can be planted into the simulated surroundings, to see that the checkers find them. */
export const FLAWS = {
  no_fence: 'the log stores an append whatever revision it expects',
  not_idempotent: 'the log does not recognise an append that it has stored before',
  conflict_is_success: 'a conflict is answered as a success',
  acknowledged_before_stored: 'the log acknowledges an append before it is safe, and a crash loses it',
  shown_before_stored: 'events are shown to clients before they are on the log',
  inclusive_resume: 'a subscription begins with the event that the client has',
  events_skipped: 'a subscription that was dropped goes on behind what it missed',
  shared_claim_id: 'two workers make the same event ids',
  tools_repeatable: 'a tool with a side effect says that it may be repeated',
  two_transactions: 'rows and their checkpoint are written one after the other',
  stale_after_append: 'a read does not show what the same worker has appended',
} as const;

export type Flaw = keyof typeof FLAWS;
