"""Readers of documents, one file a kind. What a reader of the document sees is its content.

Taken: text, tables, text boxes, headers and footers (once, however many pages repeat them; numbers
of pages are none), notes at the foot, inserted tracked changes.
Left out, so that it can neither be summarized nor published: properties (author, company),
comments, deleted tracked changes, hidden text, slides and blocks, text in the colour of its ground
(PDF, HTML), speakers' notes, scripts and styles, alternative texts of pictures, reading aids above
characters (furigana), and the navigation of a web page. Macros, embedded objects and
attachments are never opened, and nothing is fetched.
"""
