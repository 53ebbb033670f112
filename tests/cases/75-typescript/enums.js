enum Colour { Red, Green = 5, Blue }
enum Word { Yes = "y" }
const enum Small { One = 1 }
return [Colour.Red, Colour.Blue, Colour[5], Word.Yes, Small.One];
