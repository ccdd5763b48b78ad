/** Line drawings on a 20 by 20 ground. Always beside a word, or on a button that has an aria-label. */
const paths = {
  markets: 'M3 15.5 8 9l3.5 3.5L17 5M17 5h-4M17 5v4',
  opportunities: 'M10 2.5v15M13.5 5.5H8.3a2.3 2.3 0 0 0 0 4.6h3.4a2.3 2.3 0 0 1 0 4.6H6',
  keys: 'M12.5 11.5a4.5 4.5 0 1 0-4-2.4L3 14.6V17h2.4v-1.8h1.8v-1.8H9l1-1a4.5 4.5 0 0 0 2.5-.9ZM13.6 6.5h.01',
  usage: 'M3 16.5h14M5 13.5v-4M10 13.5V4M15 13.5V7.5',
  webhooks: 'M7 9.5a3 3 0 1 1 3-3l3 5.5M13 10.5a3 3 0 1 1-2.5 4.5H6M10 13.5',
  team: 'M8 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5c0-2.800 2.400-4.5 5.5-4.5s5.5 1.700 5.5 4.5M13 3.800a3 3 0 0 1 0 5.400M15 12.600c1.600.7 2.5 2 2.5 3.900',
  status: 'M2.5 10h3l2-5.5 4 11 2.5-5.5h3.5',
  docs: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 10h5M7.5 13h5',
  settings:
    'M10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.700 4.700l1.400 1.400M13.900 13.900l1.400 1.400M4.700 15.300l1.400-1.400M13.900 6.100l1.400-1.400',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'M5 5l10 10M15 5 5 15',
  down: 'M5.5 8 10 12.5 14.5 8',
  check: 'M4 10.5 8 14.5 16 5.5',
  copy: 'M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7',
  warning: 'M10 3 18 16.5H2zM10 8.5v3.5M10 14.5v.01',
  offline: 'M3 3l14 14M5 10.5a8 8 0 0 1 3-1.800M12.5 8.900a8 8 0 0 1 2.5 1.600M7.5 13.5a4 4 0 0 1 5 0M10 16.5v.01',
  plus: 'M10 4v12M4 10h12',
  edit: 'M3.5 16.5h3l9-9-3-3-9 9zM11 6l3 3',
  rotate: 'M16 10a6 6 0 1 1-2-4.5M16.5 3v3.5H13',
  revoke: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM4.800 4.800l10.400 10.400',
  out: 'M8 3.5H3.5v13H8M12.5 6.5 16 10l-3.5 3.5M16 10H7.5',
  search: 'M9 15a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM13.5 13.5 17 17',
  link: 'M8 5H4v11h11v-4M11 3.5h5.5V9M16.5 3.5 9 11',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
