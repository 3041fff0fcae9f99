import type { History, MessageView } from '#read-models';

/** All of a history at once, for those that a test made. */
export async function wholeHistory(
  history: History,
  project: string,
  session: string,
): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  for await (const messages of history.messages(project, session)) all.push(...messages);
  return all;
}
