import { type Html, html } from '../../html/html.ts'
import { methodBadge, pathCode } from './markup.ts'
import { anchorOf, type OperationGroup } from './operations.ts'

type Contents = {
  chapters: readonly { anchor: string; title: string }[]
  groups: readonly OperationGroup[]
  resourceNames: readonly string[]
}

/**
 * On a narrow screen the contents are visible only while they are the `:target` of the page. A link opens them, and any
 * link in them closes them, without a script.
 */
export function navigation({ chapters, groups, resourceNames }: Contents): Html {
  return html`<nav id="contents" aria-label="Contents">
    <p class="close"><a href="#top">Close</a></p>
    ${navGroup(
      'basics',
      'Basics',
      chapters.map(({ anchor, title }) => navItem(anchor, title)),
    )}
    ${groups.map(({ tag, anchor, operations }) =>
      navGroup(
        anchor,
        tag,
        operations.map(({ anchor, method, path }) => navItem(anchor, html`${methodBadge(method)} ${pathCode(path)}`)),
      ),
    )}
    ${navGroup(
      'resources',
      'Resources',
      resourceNames.map((name) => navItem(anchorOf('resource', name), name)),
    )}
  </nav>`
}

function navGroup(anchor: string, title: string, items: readonly Html[]): Html {
  return html`<p class="group"><a href="#${anchor}">${title}</a></p>
    <ul>
      ${items}
    </ul>
    `
}

function navItem(anchor: string, label: string | Html): Html {
  return html`<li><a href="#${anchor}">${label}</a></li>
  `
}
