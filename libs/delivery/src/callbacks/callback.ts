import type { ProjectId } from '#domain';
import type { SecretBox } from '#platform';

/** Where a run's events are sent. Both parts may hold secrets: URLs hold tokens. */
export interface Callback {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The only form in which a callback is stored. A project's tasks hand it on to the runs that they start. */
export const sealCallback = (box: SecretBox, project: ProjectId, { url, headers }: Callback): string =>
  box.seal(JSON.stringify({ url, headers }), contextOf(project));

/** @throws SealBroken */
export const openCallback = (box: SecretBox, project: ProjectId, sealed: string): Callback =>
  JSON.parse(box.open(sealed, contextOf(project))) as Callback;

const contextOf = (project: ProjectId): string => `project/${project}/callback`;
