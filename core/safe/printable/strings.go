package printable

import "reflect"

// Strings makes every string printable that a value holds which is pointed to: in its fields, its slices and what they point to. It leaves
// fields with the tag `printable:"-"` as they are, and what interfaces hold. Slices are copied, so that who shares them keeps the originals.
func Strings(of any) { makePrintable(reflect.ValueOf(of).Elem()) }

func makePrintable(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			makePrintable(own.Elem())
			v.Set(own)
		}
	case reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			makePrintable(own.Index(i))
		}
		if !v.IsNil() {
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("printable") != "-" {
				makePrintable(v.Field(i))
			}
		}
	}
}
