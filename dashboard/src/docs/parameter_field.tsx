import type { Parameter } from './document.ts';
import { choices } from './schema_text.ts';

type FieldProps = {
  parameter: Parameter;
  id: string;
  value: string;
  onChange(value: string): void;
};

/**
 * The input of one parameter by its schema: checkboxes for a list of words, a select for one word
 * or a boolean, a number, or a text. An empty value is not sent.
 */
export function ParameterField(props: FieldProps) {
  const { parameter, id } = props;
  const { schema, required } = parameter;
  const words = schema.type === 'boolean' ? ['true', 'false'] : choices(schema);
  if (schema.type === 'array' && words.length > 0) return <WordList {...props} words={words} />;
  return (
    <div class="try-field">
      <label for={id}>
        <code class="name">{parameter.name}</code>
        {required && <span class="mark">required</span>}
      </label>
      {words.length > 0 ? <WordSelect {...props} words={words} /> : <FreeInput {...props} />}
    </div>
  );
}

function FreeInput(props: FieldProps) {
  const { type } = props.parameter.schema;
  return type === 'integer' || type === 'number' ? <NumberInput {...props} /> : <TextInput {...props} />;
}

function WordSelect({ parameter, id, value, onChange, words }: FieldProps & { words: readonly string[] }) {
  const { default: byDefault } = parameter.schema;
  return (
    <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{byDefault === undefined ? 'not sent' : `not sent (${String(byDefault)})`}</option>
      {words.map((word) => (
        <option key={word} value={word}>
          {word}
        </option>
      ))}
    </select>
  );
}

function NumberInput({ parameter, id, value, onChange }: FieldProps) {
  const { type, minimum, maximum, default: byDefault } = parameter.schema;
  return (
    <input
      id={id}
      class="input"
      type="number"
      min={minimum}
      max={maximum}
      step={type === 'integer' ? 1 : 'any'}
      value={value}
      placeholder={byDefault === undefined ? '' : String(byDefault)}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function TextInput({ parameter, id, value, onChange }: FieldProps) {
  const { type, maxLength, default: byDefault } = parameter.schema;
  return (
    <input
      id={id}
      class="input"
      type="text"
      maxLength={maxLength}
      value={value}
      placeholder={byDefault ? String(byDefault) : type === 'array' ? 'one or more, with commas' : ''}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function WordList({ parameter, value, onChange, words }: FieldProps & { words: readonly string[] }) {
  const chosen = new Set(value.split(',').filter(Boolean));
  const toggle = (word: string, isOn: boolean) =>
    onChange(words.filter((one) => (one === word ? isOn : chosen.has(one))).join(','));
  return (
    <fieldset class="try-field">
      <legend>
        <code class="name">{parameter.name}</code>
        {parameter.required && <span class="mark">required</span>}
      </legend>
      <div class="words">
        {words.map((word) => (
          <label key={word}>
            <input
              type="checkbox"
              checked={chosen.has(word)}
              onChange={(event) => toggle(word, event.currentTarget.checked)}
            />
            {word}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
