"""Chromium as wide and as high as a small phone, at a page that asks for a password without a sign-in, in each language.

    chromium_fold.py URL SELECTOR OTHER

Prints one JSON object: how far down the page the element ends, before and after a wrong password, and the other one before, how wide the
page overflows, and which words of its heading break though a line has room for them. Of the languages it is the worst.
"""

import json
import sys

from webdriver import Chromium

# French is the longest after a fault.
LANGUAGES = ("en", "de", "es", "bg", "fr")
OVERFLOW = "return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
BROKEN = """
const heading = document.querySelector("h1");
const broken = [];
const walker = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  for (const word of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
    const range = document.createRange();
    range.setStart(walker.currentNode, word.index);
    range.setEnd(walker.currentNode, word.index + word[0].length);
    const boxes = [...range.getClientRects()];
    const width = boxes.reduce((sum, box) => sum + box.width, 0);
    if (new Set(boxes.map((box) => Math.round(box.top))).size > 1 && width <= heading.clientWidth) broken.push(word[0]);
  }
}
return broken;
"""

url, selector, other = sys.argv[1:4]
bottom = bottom_of_other = overflow = 0
broken = []
with Chromium() as browser:
    for language in LANGUAGES:
        browser.speak(language)
        browser.be_phone(320, 667)
        browser.open(url)
        browser.until("the element", lambda: browser.find(selector))
        overflow = max(overflow, browser.run(OVERFLOW))
        broken += browser.run(BROKEN)
        browser.be_phone(375, 667)
        bottom = max(bottom, browser.bottom(selector))
        bottom_of_other = max(bottom_of_other, browser.bottom(other))
    browser.type("#password", "not the password")
    browser.click(selector)
    browser.until("the fault", lambda: browser.find("#notice"))
    overflow = max(overflow, browser.run(OVERFLOW))
    seen = {
        "bottom": bottom,
        "bottomOfOther": bottom_of_other,
        "bottomAfterFault": browser.bottom(selector),
        "overflow": overflow,
        "broken": broken,
    }
    print(json.dumps(seen))
