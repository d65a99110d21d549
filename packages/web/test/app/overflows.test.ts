import { expect, test } from 'vitest'
import { openPage, overflows } from '../support/browser.ts'

const box = (style: string, content: string) => `<div style="position:absolute;${style}">${content}</div>`

const pages: [about: string, body: string, found: RegExp[]][] = [
  [
    'two buttons over one another',
    box('left:0;top:0', '<button>One</button>') + box('left:10px;top:5px', '<button>Two</button>'),
    [/"One" and .*"Two" overlap/, /"One" is under .*"Two"/],
  ],
  [
    'a button that a box cuts off',
    box('width:60px;height:20px;overflow:hidden', '<button style="width:200px">Wide</button>'),
    [/"Wide" is cut off/],
  ],
  [
    'a button that a scroller hides',
    box('width:60px;height:40px;overflow:auto', '<button style="width:200px">Wide</button>'),
    [],
  ],
  ['a button beyond the edge', box('left:-40px', '<button style="width:90px">Left</button>'), [/"Left" is cut off/]],
  [
    'a text under a panel',
    box('left:0;top:0', '<p>Hidden words</p>') + box('left:0;top:0;width:200px;height:60px;background:white', ''),
    [/"Hidden words" is under/],
  ],
  [
    'a text under the clear area of a link',
    `${box('left:0;top:0', '<p>Words of a row</p>')}<a href="#" style="position:absolute;left:0;top:0;width:200px;height:60px"></a>`,
    [],
  ],
]

test('the layout check finds what is cut off, covered or overlaps, and nothing that can be scrolled to', async () => {
  const { page } = await openPage({ isSignedOut: true })
  for (const [about, body, found] of pages) {
    await page.setContent(`<body style="margin:0">${body}</body>`)
    const faults = await overflows(page)
    expect({ about, faults }).toEqual({ about, faults: found.map((fault) => expect.stringMatching(fault)) })
  }
})
