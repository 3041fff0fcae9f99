import { type Content, isFileRef } from '#domain';
import { type Field, parted, sealed, truth } from '#postgres';

interface ContentParts {
  /** null: it is erased */
  readonly text: string | null;
  readonly isFile: boolean;
}

/** Content as an event holds it: its text, or where the file is that has it. It is read as '' where it is erased. */
export const content = (name: string, isFileName: string): Field<Content> =>
  parted(
    { text: sealed(name), isFile: truth(isFileName) },
    (value: Content): ContentParts =>
      isFileRef(value) ? { text: JSON.stringify(value), isFile: true } : { text: value, isFile: false },
    ({ text, isFile }) => (isFile && text !== null ? (JSON.parse(text) as Content) : (text ?? '')),
  );
