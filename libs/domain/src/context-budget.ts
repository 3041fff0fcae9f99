/**
 * The newest messages that fit into `budget`, measured by `sizeOf`: cut from the oldest turn on, never between a tool
 * call and its result. The last user message and the last turn after it always stay.
 */
export function cutToBudget<M extends { readonly role: string }>(
  messages: readonly M[],
  budget: number,
  sizeOf: (message: M) => number,
): readonly M[] {
  const sizes = messages.map(sizeOf);
  if (sizes.reduce((sum, size) => sum + size, 0) <= budget) return messages;
  const lastUser = messages.findLastIndex((m) => m.role === 'user');
  let left = budget - (sizes[lastUser] ?? 0);
  let start = messages.length;
  for (let at = messages.length - 1; at >= 0; at--) {
    if (at === lastUser) continue;
    left -= sizes[at] ?? 0;
    if (left < 0 && (at < lastUser || start < messages.length)) break;
    if (messages[at]?.role !== 'tool') start = at;
  }
  if (start > lastUser) return [...messages.slice(lastUser, lastUser + 1), ...messages.slice(start)];
  const firstUser = messages.findIndex((m, i) => i >= start && m.role === 'user');
  return messages.slice(firstUser);
}
