import { z } from 'zod';
import { flag, list } from '../http/parameters.ts';
import { parseQuery } from '../parse.ts';
import { TOOLSETS } from '../vocabulary.ts';
import type { Tool } from './tool.ts';

const query = z.object({ read_only: flag, toolsets: list(TOOLSETS).default([...TOOLSETS]) });

export type Selection = { tools: readonly Tool[]; problem?: undefined } | { tools?: undefined; problem: string };

/**
 * The tools that the address of a request asks for: `?read_only=true&toolsets=markets,arbitrage`.
 * Without both, all of them.
 */
export function selectTools(url: string, tools: readonly Tool[]): Selection {
  const { params, issues } = parseQuery(query, url);
  if (params === undefined || issues.length > 0) {
    return { problem: issues.map(({ loc, msg }) => `${loc.slice(1).join('.')} in the address: ${msg}.`).join(' ') };
  }
  const { read_only, toolsets } = params;
  return {
    tools: tools.filter((tool) => toolsets.includes(tool.toolset) && (!read_only || tool.annotations.readOnlyHint)),
  };
}
