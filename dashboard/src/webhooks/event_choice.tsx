import { type EndpointFields, eventLabels, events, thresholds, type WebhookEvent } from './webhook.ts';

type ChoiceProps = { fields: EndpointFields; onChange(some: Partial<EndpointFields>): void };

/** The events of an endpoint, each with its thresholds while it is chosen. */
export function EventChoice({ fields, onChange }: ChoiceProps) {
  const toggle = (event: WebhookEvent) => {
    const { events: chosen } = fields;
    onChange({ events: chosen.includes(event) ? chosen.filter((one) => one !== event) : [...chosen, event] });
  };
  return (
    <fieldset class="events">
      <legend>Events</legend>
      {events.map((event) => (
        <div key={event}>
          <label>
            <input
              type="checkbox"
              name={event}
              checked={fields.events.includes(event)}
              onChange={() => toggle(event)}
            />
            <span>
              {eventLabels[event].name} <code>{event}</code>
              <small class="muted">{eventLabels[event].why}</small>
            </span>
          </label>
          {fields.events.includes(event) && <Thresholds event={event} fields={fields} onChange={onChange} />}
        </div>
      ))}
    </fieldset>
  );
}

function Thresholds({ event, fields, onChange }: ChoiceProps & { event: WebhookEvent }) {
  const own = thresholds.filter((one) => one.event === event);
  if (own.length === 0) return null;
  return (
    <div class="thresholds">
      {own.map(({ name, label, bounds, isRequired }) => (
        <label key={name} class="field">
          <span>{label}</span>
          <input
            class="input"
            type="number"
            name={name}
            {...bounds}
            step="any"
            required={isRequired}
            value={fields[name] ?? ''}
            onInput={({ currentTarget: { value, valueAsNumber } }) =>
              onChange({ [name]: value === '' ? null : valueAsNumber })
            }
          />
        </label>
      ))}
    </div>
  );
}
