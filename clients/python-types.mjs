import { isRecord, noteOf, pascal, refOf, valuesOf, variantsOf } from './json-schema.mjs';

const HEAD = `from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Only whoever checks types looks at it: annotations are not evaluated.
    from typing_extensions import NotRequired
`;

/** Python's declarations of the components of a description: TypedDicts, and unions of them. */
export function pythonTypes(schemas) {
  const module = new Module();
  for (const [name, schema] of Object.entries(schemas)) module.declare(name, schema);
  return module.text();
}

class Module {
  classes = [];
  aliases = [];

  declare(name, schema) {
    if (isRecord(schema)) this.classes.push(this.classOf(name, schema));
    else this.aliases.push(`${comment(noteOf(schema), '')}${name} = ${this.typeOf(schema, name, quoted)}\n`);
  }

  text() {
    return [HEAD, ...this.classes, ...this.aliases].join('\n\n');
  }

  /** A class for an object; objects inside of it get classes of their own, before it. */
  classOf(name, { properties, required = [], ...schema }) {
    const isCalled = Object.keys(properties).some((field) => KEYWORDS.has(field));
    const fields = Object.entries(properties).map(([field, inner]) => {
      if (!/^[A-Za-z_]\w*$/.test(field)) throw new Error(`${name}.${field} is no name in Python`);
      const type = this.typeOf(inner, `${name}${pascal(field)}`);
      const wanted = required.includes(field) ? type : `NotRequired[${type}]`;
      if (isCalled) return `${comment(noteOf(inner), '        ')}        "${field}": '${wanted}',\n`;
      return `${comment(noteOf(inner), '    ')}    ${field}: ${wanted}\n`;
    });
    const note = noteOf(schema);
    if (isCalled)
      return `${comment(note, '')}${name} = TypedDict(\n    "${name}",\n    {\n${fields.join('')}    },\n)\n`;
    const said =
      note === '' ? '' : `    """${note.replaceAll('\\', '\\\\').replaceAll('\n', '\n    ')}"""\n\n`;
    return `class ${name}(TypedDict):\n${said}${fields.join('')}`;
  }

  /** `name` is what an object would be called; `written` how a name stands where it is evaluated at once. */
  typeOf(schema, name, written = (ref) => ref) {
    const ref = refOf(schema);
    if (ref !== null) return written(ref);
    const variants = variantsOf(schema);
    if (variants.length > 1) return this.unionOf(variants, name, written);
    const [only] = variants;
    const values = valuesOf(only);
    if (values !== null) return `Literal[${values.map(literal).join(', ')}]`;
    if (only.type === 'array') return `list[${this.typeOf(only.items ?? {}, `${name}Item`, written)}]`;
    if (only.type !== 'object') return SIMPLE[only.type] ?? 'Any';
    if (!isRecord(only)) return `dict[str, ${this.valueOf(only, name, written)}]`;
    this.classes.push(this.classOf(name, only));
    return written(name);
  }

  unionOf(variants, name, written) {
    const named = variants.map((one, n) =>
      this.typeOf(one, `${name}${pascal(one.title ?? String(n + 1))}`, written),
    );
    return `Union[${[...new Set(named)].join(', ')}]`;
  }

  valueOf({ additionalProperties }, name, written) {
    if (typeof additionalProperties !== 'object') return 'Any';
    return this.typeOf(additionalProperties, `${name}Value`, written);
  }
}

/** Words of the language that the interface has as names of fields: a class cannot, a call can. */
const KEYWORDS = new Set([
  'from',
  'class',
  'in',
  'is',
  'not',
  'or',
  'and',
  'if',
  'for',
  'with',
  'as',
  'global',
]);

const SIMPLE = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

const quoted = (name) => `"${name}"`;

const literal = (value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value));

const comment = (note, indent) =>
  note === ''
    ? ''
    : `${note
        .split('\n')
        .map((line) => `${indent}#: ${line}\n`)
        .join('')}`;
