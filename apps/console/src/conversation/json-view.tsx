import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type JsonMember, type JsonNode, jsonTree, plainText } from './json-tree.js';
import { visible } from './visible.js';

/**
 * JSON text, a member a line. What is in the document is the very text without its white space: lines and indents are style.
 * Text that is no JSON stands as it is.
 */
export function Json({ text, isPlain = false }: { readonly text: string; readonly isPlain?: boolean }) {
  const node = useMemo(() => (isPlain ? null : jsonTree(text)), [text, isPlain]);
  return (
    <pre class="json" dir="auto">
      {node === null ? visible(text) : drawNode(node)}
    </pre>
  );
}

function drawNode(node: JsonNode): ComponentChildren {
  if ('raw' in node) return visible(node.raw);
  const [open, close] = node.kind === 'object' ? '{}' : '[]';
  const last = node.members.length - 1;
  return (
    <>
      {open}
      {node.members.map((member, at) => (
        <span key={at} class="member">
          {drawMember(member)}
          {at < last && ','}
        </span>
      ))}
      {close}
    </>
  );
}

const drawMember = ({ key, value }: JsonMember): ComponentChildren => (
  <>
    {key !== null && <span class="key">{`${visible(key)}:`}</span>}
    {drawNode(value)}
  </>
);

/** An object as a table of its fields; anything else as JSON. */
export function Fields({ text }: { readonly text: string }) {
  const node = useMemo(() => jsonTree(text), [text]);
  if (node === null || node.kind !== 'object' || node.members.length === 0) return <Json text={text} />;
  return (
    <dl class="fields">
      {node.members.map(({ key, value }, at) => (
        <FieldRow key={at} name={key === null ? '…' : (JSON.parse(key) as string)} value={value} />
      ))}
    </dl>
  );
}

/** A value that takes more lines than its place has is scrolled: by keys, too, which need something to hold on to. */
const LONG_CHARACTERS = 200;
const isLong = (text: string): boolean => text.length > LONG_CHARACTERS || text.includes('\n');

function FieldRow({ name, value }: { readonly name: string; readonly value: JsonNode }) {
  const text = plainText(value);
  return (
    <>
      <dt>
        <bdi>{visible(name)}</bdi>
      </dt>
      <dd class={'members' in value ? 'json' : undefined} dir="auto" tabIndex={isLong(text) ? 0 : undefined}>
        {'members' in value ? drawNode(value) : visible(text)}
      </dd>
    </>
  );
}
