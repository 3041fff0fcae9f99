/** Text too large for an event lies in the file store; the event holds its name. */
export interface FileRef {
  readonly $file: string;
  readonly bytes: number;
}

export type Content = string | FileRef;

export const isFileRef = (content: string | object): content is FileRef =>
  typeof content !== 'string' && '$file' in content;
