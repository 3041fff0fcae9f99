import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Warn } from './warnings.js';

/** An annotation or a field as pdf.js gives it, as far as it is looked at. */
interface Annotation {
  readonly subtype?: string;
  readonly fieldType?: string;
  readonly fieldName?: string;
  /** What a person is told of the field (TU). */
  readonly alternativeText?: string;
  readonly fieldValue?: unknown;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly password?: boolean;
  readonly hidden?: boolean;
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly contentsObj?: { readonly str?: string };
  readonly titleObj?: { readonly str?: string };
  readonly richText?: { readonly str?: string } | null;
  /** What stands in its appearance, by the line. */
  readonly textContent?: readonly string[];
  readonly file?: { readonly filename?: string };
}

/** A field as the document's form lists it. */
interface ListedField {
  readonly value?: unknown;
  readonly type?: string;
  readonly password?: boolean;
}

/** The fields of a document's form, each told once, with what was put into it. */
export class FormFields {
  private readonly told = new Set<string>();

  /** Null: it is empty, or was told before. */
  tell(name: string, label: string, value: string): string | null {
    const text = value.trim();
    if (text === '' || this.told.has(`${name} ${text}`)) return null;
    this.told.add(`${name} ${text}`);
    this.told.add(name);
    return label === '' ? text : `${label}: ${text}`;
  }

  /** Those that no page shows. */
  *withoutPlace(listed: unknown): Generator<{ text: string; page: null }> {
    if (typeof listed !== 'object' || listed === null) return;
    const entries = listed instanceof Map ? [...listed.entries()] : Object.entries(listed);
    for (const [name, fields] of entries as readonly (readonly [string, readonly ListedField[]])[]) {
      const field = fields.find(({ value }) => valueText(value) !== '');
      if (field === undefined || field.password === true || this.told.has(name)) continue;
      if (!/^(?:text|combobox|listbox)$/.test(field.type ?? '')) continue;
      const text = this.tell(name, shortName(name), valueText(field.value));
      if (text !== null) yield { text, page: null };
    }
  }
}

/** What stands in the fields, notes and stamps of a page. */
export async function annotationBlocks(
  page: PDFPageProxy,
  fields: FormFields,
  warn: Warn,
): Promise<readonly string[]> {
  const annotations = (await page.getAnnotations()) as readonly Annotation[];
  const texts: string[] = [];
  for (const annotation of annotations) {
    const text = annotation.subtype === 'Widget' ? fieldText(annotation, fields) : noteText(annotation);
    if (text !== null && text.trim() !== '') texts.push(text);
    if (annotation.subtype === 'FileAttachment')
      warn(
        'embedded_file',
        `the attached file ${annotation.file?.filename ?? ''} is not read`,
        page.pageNumber,
      );
  }
  return texts;
}

function fieldText(field: Annotation, fields: FormFields): string | null {
  const { fieldName = '', alternativeText, fieldType } = field;
  if (field.hidden === true || field.password === true) return null;
  const label = alternativeText?.trim() || shortName(fieldName);
  if (fieldType === 'Btn') return buttonText(field, label, fields);
  if (fieldType === 'Sig') return fields.tell(fieldName, label, field.textContent?.join('\n') ?? '');
  const shown = optionText(field) || (field.textContent?.join('\n') ?? '');
  return fields.tell(fieldName, label, shown);
}

/** A box that is ticked, or the one of several that was chosen. */
function buttonText(field: Annotation, label: string, fields: FormFields): string | null {
  const { fieldName = '', checkBox, radioButton, exportValue, buttonValue } = field;
  const value = valueText(field.fieldValue);
  if (value === '' || value === 'Off') return null;
  if (checkBox === true && value === (exportValue ?? value))
    return fields.tell(fieldName, label, `☒ ${isPlainYes(value) ? '' : value}`);
  if (radioButton === true && value === buttonValue) return fields.tell(fieldName, label, value);
  return null;
}

const isPlainYes = (value: string): boolean => /^(?:yes|on|true|1|x|checked|ja|oui)$/i.test(value);

function optionText({ fieldValue, options = [] }: Annotation): string {
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .map((value) => {
      const text = valueText(value);
      return options.find(({ exportValue }) => exportValue === text)?.displayValue ?? text;
    })
    .filter((text) => text !== '')
    .join(', ');
}

/** What a reader wrote upon the page; a note's window says the same once more. */
function noteText({ subtype, contentsObj, richText, titleObj, textContent }: Annotation): string | null {
  if (subtype === 'Popup' || subtype === 'Link') return null;
  const text = contentsObj?.str?.trim() || richText?.str?.trim() || (textContent?.join('\n') ?? '');
  if (text === '') return null;
  const author = titleObj?.str?.trim() ?? '';
  return subtype === 'FreeText' || author === '' ? text : `${author}: ${text}`;
}

const valueText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(valueText).join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

/** `form1[0].page[0].Surname[0]` is `Surname`. */
const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
